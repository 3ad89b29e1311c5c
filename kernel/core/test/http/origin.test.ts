import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeOf, HOOK_SECRET, startGated } from "../support/gated-kernel.ts";
import type { GatedKernel } from "../support/gated-kernel.ts";

type Headers = readonly (readonly [string, string])[];

const json = [["content-type", "application/json"]] as const;
const post = (kernel: GatedKernel, headers: Headers) =>
  kernel.sendPaired({
    method: "POST",
    target: "/api/probe",
    headers: [...json, ...headers],
  });

/** What looks like our origin and is not. */
function lookAlikes({ host, origin, port }: GatedKernel): string[] {
  return [
    "null",
    "",
    "http://evil.example",
    `http://evil.example:${port}`,
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}`,
    `${origin}.evil.com`,
    `http://${host}@evil.com`,
    `http://evil.com@${host}`,
    `http://${host}%2eevil.com`,
    `https://${host}`,
    "http://gantry.localhost",
    "http://gantry.localhost:1",
    `${origin}/`,
    `${origin}#`,
    `http://gantry.localhost.:${port}`,
    `http://x.${host}`,
    `ws://${host}`,
    `file://${host}`,
    `${origin} ${origin}`,
    `${origin}, ${origin}`,
    origin.toUpperCase(),
    "*",
  ];
}

test("a change from another origin is refused, whatever cookie comes with it", async () => {
  await using kernel = await startGated();
  for (const origin of lookAlikes(kernel)) {
    const answer = await post(kernel, [["origin", origin]]);
    expect(codeOf(answer), origin).toBe("ORIGIN_REFUSED");
    expect(answer.status).toBe(403);
  }
  expect(
    codeOf(
      await post(kernel, [
        ["origin", kernel.origin],
        ["origin", kernel.origin],
      ]),
    ),
  ).toBe("ORIGIN_REFUSED");
  expect(
    codeOf(
      await post(kernel, [
        ["origin", kernel.origin],
        ["origin", "http://evil.example"],
      ]),
    ),
  ).toBe("ORIGIN_REFUSED");
  expect(kernel.handled()).toBe(0);
  expect(await post(kernel, [["origin", kernel.origin]])).toMatchObject({
    status: 200,
  });
});

test("a change without an origin is a program's, unless it has a browser's marks", async () => {
  await using kernel = await startGated();
  expect(await post(kernel, [])).toMatchObject({ status: 200 });
  for (const mark of [
    "sec-fetch-site",
    "sec-fetch-mode",
    "sec-fetch-dest",
    "Sec-Fetch-User",
    "sec-fetch-anything",
  ]) {
    const answer = await post(kernel, [
      [mark, mark === "sec-fetch-site" ? "same-origin" : "x"],
    ]);
    expect(codeOf(answer), mark).toBe("ORIGIN_REFUSED");
  }
  expect(kernel.handled()).toBe(1);
});

test("a program with the install token needs no origin, also one that is written with fetch", async () => {
  await using kernel = await startGated();
  const token = (await readFile(join(kernel.home, "token"), "utf8")).trim();
  const bearer = ["authorization", `Bearer ${token}`] as const;
  // Node's own fetch sends `Sec-Fetch-Mode: cors`.
  const answer = await fetch(`${kernel.url}/api/probe`, {
    method: "POST",
    headers: [bearer, ...json].map(([name, value]) => [name, value]),
    body: "{}",
  });
  expect(answer.status).toBe(200);
  const send = (...headers: Headers) =>
    kernel.send({
      method: "POST",
      target: "/api/probe",
      headers: [...json, bearer, ...headers],
    });
  const mode = ["sec-fetch-mode", "cors"] as const;
  expect(await send()).toMatchObject({ status: 200 });
  expect(await send(mode)).toMatchObject({ status: 200 });
  expect(await send(["origin", kernel.origin], mode)).toMatchObject({
    status: 200,
  });
  const refused: Headers[] = [
    // With a cookie it is a browser's request like any other.
    [mode, ["cookie", kernel.cookie]],
    [mode, ["cookie", ""]],
    [mode, ["cookie", "other=1"]],
    [mode, ["origin", "null"]],
    [mode, ["origin", "http://evil.example"]],
    [mode, ["authorization", "Bearer other"]],
    [mode, ["sec-fetch-site", "same-site"]],
    [mode, ["sec-fetch-site", "cross-site"]],
  ];
  for (const headers of refused)
    expect(codeOf(await send(...headers)), headers.join()).toMatch(
      /^(ORIGIN|SITE)_REFUSED$/,
    );
  for (const value of ["Basic eDp5", "Bearer", "Bearer ", "bearer\tx", token])
    expect(
      codeOf(
        await kernel.send({
          method: "POST",
          target: "/api/probe",
          headers: [...json, mode, ["authorization", value]],
        }),
      ),
      value,
    ).toBe("ORIGIN_REFUSED");
  const wrong = await kernel.send({
    method: "POST",
    target: "/api/probe",
    headers: [...json, mode, ["authorization", "Bearer wrong"]],
  });
  expect(wrong).toMatchObject({ status: 401 });
  expect(kernel.handled()).toBe(4);
});

test("a page of another site reads nothing, by any method", async () => {
  await using kernel = await startGated();
  for (const site of [
    "cross-site",
    "same-site",
    "same-origin, cross-site",
    "other",
    "",
  ]) {
    for (const mode of ["no-cors", "cors", "navigate", "websocket"]) {
      for (const target of [
        "/api/probe",
        "/api/unknown",
        "/api/openapi.json",
        "/api/events",
        "/api/probe/hook",
      ]) {
        const headers = [
          ["sec-fetch-site", site],
          ["sec-fetch-mode", mode],
        ] as const;
        const answer = await kernel.sendPaired({ target, headers });
        expect(codeOf(answer), `${site} ${mode} ${target}`).toBe(
          "SITE_REFUSED",
        );
      }
    }
  }
  expect(kernel.handled()).toBe(0);
});

test("our own page and a typed address read", async () => {
  await using kernel = await startGated();
  for (const site of ["same-origin", "none"]) {
    const headers = [
      ["sec-fetch-site", site],
      ["sec-fetch-mode", "cors"],
    ] as const;
    expect(
      await kernel.sendPaired({ target: "/api/probe", headers }),
      site,
    ).toMatchObject({ status: 200 });
  }
});

test("a link on another site may lead to a page of ours, which holds no data", async () => {
  await using kernel = await startGated();
  const cross = [
    ["sec-fetch-site", "cross-site"],
    ["sec-fetch-mode", "navigate"],
  ] as const;
  expect(
    await kernel.send({ target: "/agents", headers: cross }),
  ).toMatchObject({ status: 200 });
  expect(
    codeOf(
      await kernel.send({ method: "POST", target: "/agents", headers: cross }),
    ),
  ).toMatch(/_REFUSED$/);
});

test("the event stream is read by our own pages only, however it is asked for", async () => {
  await using kernel = await startGated();
  for (const target of ["/api/events", "/api/probe/stream"]) {
    for (const accept of ["text/event-stream", "*/*"]) {
      for (const origin of ["null", "http://evil.example"]) {
        const headers = [
          ["origin", origin],
          ["accept", accept],
        ] as const;
        expect(
          codeOf(await kernel.sendPaired({ target, headers })),
          `${target} ${accept} ${origin}`,
        ).toBe("ORIGIN_REFUSED");
      }
    }
  }
  expect(kernel.handled()).toBe(0);
});

test("a preflight is refused, and nothing that is answered lets another origin in", async () => {
  await using kernel = await startGated();
  const preflight = [
    ["access-control-request-method", "POST"],
    ["access-control-request-headers", "content-type"],
  ] as const;
  for (const target of [
    "/api/probe",
    "/api/auth/pairings",
    "/pair",
    "/api/unknown",
    "/",
    "/favicon.svg",
  ]) {
    for (const origin of ["http://evil.example", "null"]) {
      for (const send of [kernel.send, kernel.sendPaired]) {
        const headers = [["origin", origin], ...preflight] as const;
        const answer = await send({ method: "OPTIONS", target, headers });
        expect(answer.status, `${target} ${origin}`).toBe(403);
        expect(
          answer.headers.filter(([name]) => name.startsWith("access-control")),
        ).toEqual([]);
      }
    }
  }
});

test("a webhook is exempt from the origin, not from its own credential", async () => {
  await using kernel = await startGated();
  const ask = (secret: string) =>
    kernel.send({
      method: "POST",
      target: "/api/probe/hook",
      headers: [
        ["origin", "http://evil.example"],
        ["authorization", `Bearer ${secret}`],
      ],
    });
  expect(await ask(HOOK_SECRET)).toMatchObject({ status: 200 });
  expect(await ask("wrong")).toMatchObject({ status: 401 });
});

test("pairing is for our own pages: another's cost it nothing", async () => {
  await using kernel = await startGated();
  const { code } = kernel.kernel.pair();
  const body = JSON.stringify({ code, device: "Evil" });
  const pair = (headers: Headers) =>
    kernel.send({
      method: "POST",
      target: "/pair",
      body,
      headers: [...json, ["content-length", String(body.length)], ...headers],
    });
  for (let n = 0; n < 40; n++)
    expect((await pair([["origin", "http://evil.example"]])).status).toBe(403);
  expect(
    (
      await pair([
        ["sec-fetch-site", "cross-site"],
        ["origin", kernel.origin],
      ])
    ).status,
  ).toBe(403);
  expect(
    await pair([
      ["origin", kernel.origin],
      ["sec-fetch-site", "same-origin"],
    ]),
  ).toMatchObject({ status: 200 });
});
