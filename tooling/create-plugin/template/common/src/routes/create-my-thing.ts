import { defineRoute } from "@gantry/plugin";
import { MyThing, MyThingInput } from "../contract.ts";
import type { MyThings } from "../my-things.ts";

export const createMyThing = (myThings: MyThings) =>
  defineRoute({
    method: "POST",
    path: "/api/my-plugin",
    summary: "Add a my thing",
    access: "session",
    idempotent: true,
    body: MyThingInput,
    returns: MyThing,
    errors: ["MY_PLUGIN_TITLE_TAKEN"],
    handle: ({ body }) => myThings.add(body),
  });
