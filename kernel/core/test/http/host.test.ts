import { expect, test } from "vitest";
import {
  codeOf,
  HOOK_HOST,
  HOOK_SECRET,
  startGated,
} from "../support/gated-kernel.ts";
import { startTestKernel } from "../../../testing/src/index.ts";
import { openRaw, renderRequest, sendRaw } from "../support/raw-http.ts";

test("the daemon answers to its own names with its port, and to no other", async () => {
  await using kernel = await startGated({
    config: { hosts: ["box.example.org", "box.example.org:8443"] },
  });
  const { port, cookie } = kernel;
  const ask = (host: string) =>
    sendRaw(port, {
      target: "/api/probe",
      headers: [
        ["host", host],
        ["cookie", cookie],
      ],
    });
  const own = [
    `gantry.localhost:${port}`,
    `GANTRY.localhost:${port}`,
    `localhost:${port}`,
    `LOCALHOST:${port}`,
    `127.0.0.1:${port}`,
    `[::1]:${port}`,
    "box.example.org",
    "box.example.org:8443",
  ];
  for (const host of own) expect((await ask(host)).status, host).toBe(200);
  const handled = kernel.handled();
  const other = [
    "gantry.localhost",
    "gantry.localhost:1",
    `gantry.localhost.:${port}`,
    `localhost.:${port}`,
    `localhost.com:${port}`,
    `127.0.0.1.nip.io:${port}`,
    `127.1:${port}`,
    `2130706433:${port}`,
    `0x7f.0.0.1:${port}`,
    `127.0.0.2:${port}`,
    `0.0.0.0:${port}`,
    `[::]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `[0:0:0:0:0:0:0:1]:${port}`,
    `192.168.1.5:${port}`,
    `evil.localhost:${port}`,
    `x.gantry.localhost:${port}`,
    `gantry-preview.localhost:${port}`,
    `a@gantry.localhost:${port}`,
    `gantry.localhost:${port}.evil`,
    `gantry.localhost:${port}/abc?`,
    `gantry.localhost:${port}#`,
    `gantry.localhost:${port}/..`,
    `gantry.localhost:${port}\\x`,
    `gantry.localhost:0${port}`,
    `gantry.localhost:${port} `.padEnd(40, "x"),
    "①②⑦.⓪.⓪.①",
    `evil.example:${port}`,
    `:${port}`,
    "",
    `box.example.org:${port}`,
    `gantry.localhost:${port}, evil.example`,
    `"gantry.localhost:${port}"`,
  ];
  for (const host of other) {
    const answer = await ask(host);
    expect([400, 403], host).toContain(answer.status);
    if (answer.status === 403)
      expect(codeOf(answer), host).toBe("HOST_REFUSED");
  }
  expect(kernel.handled()).toBe(handled);
});

test("the name is checked for pages, files and sockets too, before anything else", async () => {
  await using kernel = await startGated();
  const targets = [
    "/",
    "/pair",
    "/favicon.svg",
    "/api/unknown",
    "/docs",
    "/api/probe/hook",
    "/ui/utilities.css",
  ];
  for (const target of targets) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const headers = [
        ["host", "evil.example"],
        ["authorization", `Bearer ${HOOK_SECRET}`],
      ] as const;
      const answer = await sendRaw(kernel.port, { method, target, headers });
      expect(codeOf(answer), `${method} ${target}`).toBe("HOST_REFUSED");
    }
  }
  const upgrade = await sendRaw(kernel.port, {
    target: "/api/probe/socket",
    headers: [
      ["host", "evil.example"],
      ["cookie", kernel.cookie],
      ["connection", "upgrade"],
      ["upgrade", "websocket"],
      ["sec-websocket-version", "13"],
      ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
    ],
  });
  expect(codeOf(upgrade)).toBe("HOST_REFUSED");
});

test("none and two names are bad requests, and the connection ends", async () => {
  await using kernel = await startGated();
  const { port, host, cookie } = kernel;
  const good = ["host", host] as const;
  const evil = ["host", "evil.example"] as const;
  const rest = ["cookie", cookie] as const;
  const requests = [
    { headers: [good, evil, rest] },
    { headers: [evil, good, rest] },
    { headers: [good, good, rest] },
    { headers: [good, ["Host", host], rest] },
    { headers: [rest] },
    { headers: [rest], version: "1.0" },
  ] as const;
  for (const request of requests) {
    const connection = await openRaw(port);
    connection.write(renderRequest({ target: "/api/probe", ...request }));
    expect((await connection.answer()).status, JSON.stringify(request)).toBe(
      400,
    );
    await connection.closed;
  }
  expect(kernel.handled()).toBe(0);
});

test("an absolute target does not stand for a name", async () => {
  await using kernel = await startGated();
  for (const target of [
    `${kernel.origin}/api/probe`,
    "http://evil.example/api/probe",
    "*",
    "evil.example:443",
  ]) {
    for (const method of ["GET", "OPTIONS", "CONNECT"]) {
      const connection = await kernel.open({ method, target });
      const status = await connection.answer().then(
        (answer) => answer.status,
        () => "cut",
      );
      expect([400, "cut"], `${method} ${target}`).toContain(status);
    }
  }
  expect(kernel.handled()).toBe(0);
});

test("what a header says of proxies changes nothing", async () => {
  await using kernel = await startGated();
  const headers = [
    ["x-forwarded-host", "evil.example"],
    ["forwarded", "host=evil.example;proto=https"],
    ["x-forwarded-proto", "https"],
    ["x-forwarded-for", "1.2.3.4"],
  ] as const;
  expect(
    await kernel.sendPaired({ target: "/api/probe", headers }),
  ).toMatchObject({ status: 200 });
  const page = await kernel.send({ target: "/", headers });
  expect(JSON.stringify(page.headers)).not.toContain("evil");
});

test("a name for webhooks serves webhooks and nothing else", async () => {
  await using kernel = await startGated();
  const ask = (method: string, target: string, secret = HOOK_SECRET) =>
    sendRaw(kernel.port, {
      method,
      target,
      headers: [
        ["host", HOOK_HOST],
        ["cookie", kernel.cookie],
        ["authorization", `Bearer ${secret}`],
      ],
    });
  expect(await ask("POST", "/api/probe/hook")).toMatchObject({ status: 200 });
  expect(codeOf(await ask("POST", "/api/probe/hook", "wrong"))).toBe(
    "PROBE_UNAUTHORIZED",
  );
  for (const target of [
    "/",
    "/pair",
    "/api/probe",
    "/api/probe/self",
    "/api/openapi.json",
    "/favicon.svg",
    "/api/unknown",
    "/docs",
    "/api/probe/socket",
  ])
    for (const method of ["GET", "POST"])
      expect(codeOf(await ask(method, target)), target).toBe("HOST_REFUSED");
});

test("a link for another device leads to the public address, where there is one", async () => {
  const publicUrl = "https://gantry.example.org/";
  await using kernel = await startTestKernel([], { config: { publicUrl } });
  const { body } = await kernel.api.post<{ url: string }>("/api/auth/pairings");
  expect(body.url).toMatch(/^https:\/\/gantry\.example\.org\/pair#code=/);
  expect(kernel.kernel.pair().url).toMatch(/^https:\/\/gantry\.example\.org\//);
  expect(kernel.kernel.url).toBe(
    `http://gantry.localhost:${kernel.kernel.port}`,
  );
  const system = await kernel.api.get("/api/system");
  expect(system.body).toMatchObject({
    url: kernel.kernel.url,
    publicUrl: "https://gantry.example.org",
  });
  await using local = await startTestKernel([]);
  expect((await local.api.get("/api/system")).body).toMatchObject({
    publicUrl: null,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
});

test("the public address is a name, and its pages are our origin", async () => {
  await using kernel = await startGated({
    config: { publicUrl: "https://gantry.example.org" },
  });
  const headers = [
    ["host", "gantry.example.org"],
    ["cookie", kernel.cookie],
    ["origin", "https://gantry.example.org"],
  ] as const;
  expect(
    await sendRaw(kernel.port, {
      method: "POST",
      target: "/api/probe",
      headers,
    }),
  ).toMatchObject({ status: 200 });
});

test("a cookie that is given out under an encrypted public address is for HTTPS only", async () => {
  await using kernel = await startTestKernel([], {
    config: { publicUrl: "https://gantry.example.org" },
  });
  const { port, pair } = kernel.kernel;
  const pairUnder = async (host: string, scheme: string) => {
    const body = JSON.stringify({ code: pair().code, device: "Phone" });
    const { header } = await sendRaw(port, {
      method: "POST",
      target: "/pair",
      headers: [
        ["host", host],
        ["origin", `${scheme}://${host}`],
        ["content-type", "application/json"],
        ["content-length", String(body.length)],
      ],
      body,
    });
    return header("set-cookie");
  };
  expect(await pairUnder("gantry.example.org", "https")).toMatch(/; Secure$/);
  expect(await pairUnder(`gantry.localhost:${port}`, "http")).toMatch(
    /; Max-Age=\d+$/,
  );
});
