import { expect, test } from "vitest";
import {
  readEventStream,
  startTestKernel,
} from "../../../testing/src/index.ts";
import type { TestKernel } from "../../../testing/src/index.ts";
import { whoAmI } from "../support/auth.ts";
import { openRaw, renderRequest, sendRaw } from "../support/raw-http.ts";

const setMode = (kernel: TestKernel, mode: unknown) =>
  kernel.api.put("/api/auth/mode", { mode });

test("by default everyone pairs; in mode loopback this machine itself need not", async () => {
  await using kernel = await startTestKernel([]);
  expect((await whoAmI(kernel, {})).status).toBe(401);
  expect(await setMode(kernel, "loopback")).toMatchObject({
    status: 200,
    body: { mode: "loopback" },
  });
  expect(await whoAmI(kernel, {})).toMatchObject({
    status: 200,
    body: {
      mode: "loopback",
      kind: "browser",
      session: { id: "ses_loopback", device: "This machine" },
    },
  });
  await kernel.restart();
  expect((await whoAmI(kernel, {})).status).toBe(200);
  await setMode(kernel, "all");
  expect((await whoAmI(kernel, {})).status).toBe(401);
});

test("what a proxy passed on, or a page of another site asks, is not this machine itself", async () => {
  await using kernel = await startTestKernel([]);
  await setMode(kernel, "loopback");
  for (const name of [
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-port",
    "x-real-ip",
    "via",
    "cf-connecting-ip",
    "true-client-ip",
    "x-client-ip",
  ])
    expect((await whoAmI(kernel, { [name]: "1.2.3.4" })).status, name).toBe(
      401,
    );
  for (const site of ["cross-site", "same-site"])
    expect(
      (await whoAmI(kernel, { "sec-fetch-site": site })).status,
      site,
    ).toBe(403);
  for (const site of ["same-origin", "none"])
    expect(
      (await whoAmI(kernel, { "sec-fetch-site": site })).status,
      site,
    ).toBe(200);
});

test("it takes a loopback name, not only a loopback address", async () => {
  await using kernel = await startTestKernel([], {
    config: {
      hosts: ["box.example.org"],
      publicUrl: "https://gantry.example.org",
    },
  });
  await setMode(kernel, "loopback");
  const ask = async (host: string) =>
    (
      await sendRaw(kernel.kernel.port, {
        target: "/api/auth/session",
        headers: [["host", host]],
      })
    ).status;
  for (const name of ["gantry.localhost", "localhost", "127.0.0.1", "[::1]"])
    expect(await ask(`${name}:${kernel.kernel.port}`), name).toBe(200);
  for (const host of ["box.example.org", "gantry.example.org"])
    expect(await ask(host), host).toBe(401);
});

test("over IPv6 it is the same machine", async () => {
  await using kernel = await startTestKernel([]);
  if (!kernel.kernel.addresses.includes("::1")) return;
  await setMode(kernel, "loopback");
  const connection = await openRaw(kernel.kernel.port, "::1");
  connection.write(
    renderRequest({
      target: "/api/auth/session",
      headers: [["host", `[::1]:${kernel.kernel.port}`]],
    }),
  );
  expect((await connection.answer()).status).toBe(200);
});

test("going back to all ends what this machine had open", async () => {
  await using kernel = await startTestKernel([]);
  await setMode(kernel, "loopback");
  const stream = readEventStream(
    await kernel.stranger.open("/api/events?types=nothing.*"),
  );
  await stream.next();
  await setMode(kernel, "all");
  expect(await stream.next()).toBeUndefined();
});

test("there is no other mode, and none that any field switches off", async () => {
  await using kernel = await startTestKernel([]);
  for (const mode of [
    "none",
    "",
    "ALL",
    "off",
    1,
    null,
    ["all"],
    { all: true },
    undefined,
  ])
    expect(await setMode(kernel, mode), JSON.stringify(mode)).toMatchObject({
      status: 400,
      body: { code: "INPUT_INVALID" },
    });
  expect(
    await kernel.api.put("/api/auth/mode", { mode: "loopback", force: true }),
  ).toMatchObject({ status: 400 });
  expect((await whoAmI(kernel, {})).status).toBe(401);
});
