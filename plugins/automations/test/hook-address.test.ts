import { expect, test } from "vitest";
import { hookAddresses } from "../ui/automations/hookAddress.ts";

const ID = "aut_x";
const local = {
  protocol: "http:",
  hostname: "gantry.localhost",
  port: "7420",
  origin: "http://gantry.localhost:7420",
};
const gateway = {
  label: "Behind a gateway",
  address: "https://<gateway_host>/-/hook/<user_name>/aut_x",
  isPattern: true,
};

test("a webhook has an address on this machine, a form of the public one, and one behind a gateway", () => {
  expect(hookAddresses(ID, local)).toEqual([
    {
      label: "On this machine",
      address: "http://127.0.0.1:7420/api/automations/aut_x/fire",
      isPattern: false,
    },
    {
      label: "Under a public name",
      address: "https://<public_host>/api/automations/aut_x/fire",
      isPattern: true,
    },
    gateway,
  ]);
});

test("with a public URL configured, it is the same path on that public name", () => {
  const [, named] = hookAddresses(ID, local, "https://gantry.example");
  expect(named).toEqual({
    label: "Under a public name",
    address: "https://gantry.example/api/automations/aut_x/fire",
    isPattern: false,
  });
});

test("a page that comes from a public name shows that one", () => {
  const origin = "https://gantry.example";
  const page = { protocol: "https:", hostname: "gantry.example", port: "" };
  expect(hookAddresses(ID, { ...page, origin }, origin)).toEqual([
    {
      label: "From anywhere",
      address: "https://gantry.example/api/automations/aut_x/fire",
      isPattern: false,
    },
    gateway,
  ]);
});
