import { STOP_LIMIT_MS } from "@gantry/system/shutdown/shutdown";
import { X509Certificate } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { readEventStream } from "../../../testing/src/index.ts";
import {
  pluginCode,
  putPlugin,
  runGantry,
  spawnGantry,
  startDaemon,
} from "../support/daemon.ts";
import { openRaw } from "../support/raw-http.ts";
import { openSocket } from "../support/web-socket.ts";

/** Local addresses at which a process listens on a port, as the system itself tells. */
async function listenersOn(port: number): Promise<string[]> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) =>
      readFile(`/proc/net/${name}`, "utf8").catch(() => ""),
    ),
  );
  return tables
    .flatMap((table) => table.split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(suffix) && state === "0A")
    .map(([, local]) => local?.slice(0, -5) ?? "");
}

const LOOPBACK = ["0100007F", "00000000000000000000000001000000"];

function occupy(
  port = 0,
  host = "127.0.0.1",
): Promise<Server & { port: number }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    server.once("error", reject).listen(port, host, () =>
      resolve(
        Object.assign(server, {
          port: (server.address() as AddressInfo).port,
        }),
      ),
    );
  });
}

test("it listens on this machine only, whatever the environment says", async () => {
  const home = await temporaryFolder();
  const env = {
    NODE_ENV: "production",
    HOST: "0.0.0.0",
    PORT: "1",
    HOSTNAME: "0.0.0.0",
  };
  const daemon = await startDaemon(home, [], { env });
  const bound = await listenersOn(daemon.port);
  expect(bound.length).toBeGreaterThan(0);
  for (const address of bound) expect(LOOPBACK).toContain(address);
  const other = Object.values(networkInterfaces())
    .flat()
    .find((each) => each && !each.internal && each.family === "IPv4");
  if (other)
    await expect(
      fetch(`http://${other.address}:${daemon.port}/`),
    ).rejects.toThrow();
  expect((await daemon.call("/api/system")).status).toBe(200);
  expect(daemon.ready).toEqual({
    ready: true,
    url: `http://gantry.localhost:${daemon.port}`,
    pairUrl: expect.stringMatching(/\/pair#code=/) as string,
    pid: daemon.pid,
    port: daemon.port,
  });
});

test("a port that was given and is taken is told with its owner", async () => {
  const home = await temporaryFolder();
  const taken = await occupy();
  const result = await runGantry([
    "serve",
    "--home",
    home,
    "--port",
    String(taken.port),
  ]);
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(
    new RegExp(
      `^gantry: Port ${taken.port} is taken by \\S.* \\(pid ${process.pid}\\); choose another with --port\\.\n$`,
    ),
  );
});

test(
  "a port that was not asked for is replaced by the next free one",
  { tags: "thorough" },
  async () => {
    // Another process that has it may give it back before the daemon asks.
    const isOurs = await occupy(7420).then(
      () => true,
      () => false,
    );
    const daemon = await startDaemon(await temporaryFolder(), [], {
      port: "usual",
    });
    expect(daemon.port).toBeGreaterThanOrEqual(isOurs ? 7421 : 7420);
    expect(daemon.port).toBeLessThan(7430);
  },
);

test(
  "a port that is taken on one of the two addresses is taken",
  { tags: "thorough" },
  async () => {
    const taken = await occupy(0, "::1").catch(() => undefined);
    if (!taken) return;
    const result = await runGantry([
      "serve",
      "--home",
      await temporaryFolder(),
      "--port",
      String(taken.port),
    ]);
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Port ${taken.port} is taken`) as string,
    });
  },
);

test("beyond this machine it takes HTTPS, or a word that it is meant", async () => {
  const home = await temporaryFolder();
  const refused = await runGantry([
    "serve",
    "--home",
    home,
    "--port",
    "0",
    "--host",
    "0.0.0.0",
  ]);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^gantry: Listening on 0\.0\.0\.0 without HTTPS .*\n$/,
    ) as string,
  });
  const meant = spawnGantry([
    "serve",
    "--home",
    home,
    "--port",
    "0",
    "--host",
    "0.0.0.0",
    "--insecure",
  ]);
  await vi.waitFor(() =>
    expect(meant.output.stdout).toContain("WARNING: plain HTTP"),
  );
  meant.child.kill();
  expect(await meant.ended).toMatchObject({ code: 0 });
  const secure = await startDaemon(home, ["--host", "0.0.0.0", "--https"]);
  expect(await listenersOn(secure.port)).toEqual(["00000000"]);
});

/** The certificate that a port shows, and what it answers. */
function askSecurely(
  port: number,
  request: string,
): Promise<{ certificate: X509Certificate; answer: string }> {
  return new Promise((resolve, reject) => {
    // The certificate is self-signed; which one it is, is what the test looks at.
    const socket = connectTls(
      {
        port,
        host: "127.0.0.1",
        servername: "gantry.localhost",
        rejectUnauthorized: false,
      },
      () => {
        const certificate = new X509Certificate(
          socket.getPeerCertificate().raw,
        );
        let answer = "";
        socket
          .setEncoding("utf8")
          .on("data", (text: string) => (answer += text));
        socket.on("end", () => resolve({ certificate, answer }));
        socket.write(request);
      },
    );
    socket.once("error", reject);
  });
}

test(
  "a certificate of its own is made once and kept, and the cookie is for HTTPS only",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    const fingerprints = new Set<string>();
    for (let start = 0; start < 2; start++) {
      const daemon = await startDaemon(home, ["--https"]);
      expect(daemon.ready.url).toBe(`https://gantry.localhost:${daemon.port}`);
      const code = new URL(daemon.ready.pairUrl).hash.slice("#code=".length);
      const body = JSON.stringify({ code, device: "Test" });
      const { certificate, answer } = await askSecurely(
        daemon.port,
        `POST /pair HTTP/1.1\r\nHost: gantry.localhost:${daemon.port}\r\nOrigin: ${daemon.ready.url}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toMatch(
        /set-cookie: gantry_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000; Secure\r\n/i,
      );
      fingerprints.add(certificate.fingerprint256);
      for (const name of ["localhost", "gantry.localhost"])
        expect(certificate.checkHost(name)).toBe(name);
      expect(certificate.checkIP("127.0.0.1")).toBeDefined();
      expect(Date.parse(certificate.validTo) - Date.now()).toBeGreaterThan(
        300 * 24 * 60 * 60 * 1000,
      );
      daemon.kill();
      await daemon.ended;
    }
    expect(fingerprints.size).toBe(1);
    expect((await stat(join(home, "certificate.json"))).mode & 0o777).toBe(
      0o600,
    );
  },
);

test(
  "a certificate of the user's own is used, and one that is not there is told",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    const kept = await startDaemon(home, ["--https"]);
    kept.kill();
    await kept.ended;
    const { cert, key } = JSON.parse(
      await readFile(join(home, "certificate.json"), "utf8"),
    ) as Record<string, string>;
    await writeFile(join(home, "own.crt"), cert ?? "");
    await writeFile(join(home, "own.key"), key ?? "");
    const configure = (https: object) =>
      writeFile(join(home, "config.json"), JSON.stringify({ https }));
    await configure({
      cert: join(home, "own.crt"),
      key: join(home, "own.key"),
    });
    const daemon = await startDaemon(home);
    const { certificate } = await askSecurely(
      daemon.port,
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(certificate.fingerprint256).toBe(
      new X509Certificate(cert ?? "").fingerprint256,
    );
    daemon.kill();
    await daemon.ended;
    await configure({
      cert: join(home, "gone.crt"),
      key: join(home, "own.key"),
    });
    expect(
      await runGantry(["serve", "--home", home, "--port", "0"]),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^gantry: The certificate file .*gone\.crt cannot be read: ENOENT\.\n$/,
      ) as string,
    });
  },
);

test(
  "of two daemons on one home the second says who the first is",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    const first = await startDaemon(home);
    const second = await runGantry(["serve", "--home", home, "--port", "0"]);
    expect(second).toMatchObject({ code: 3, stdout: "" });
    expect(second.stderr).toBe(
      `gantry: Another daemon (pid ${first.pid}, ${first.ready.url}) uses this home.\n`,
    );
    expect((await first.call("/api/system")).status).toBe(200);
  },
);

test.each(cases(["SIGTERM", "SIGINT"] as const))(
  "%s ends it cleanly, with streams and sockets open, and notifies clients",
  async (signal) => {
    const home = await temporaryFolder();
    await putPlugin(
      home,
      "probe",
      pluginCode(
        "probe",
        `ctx.socket({ path: "/api/probe/socket", summary: "x", access: "session" });
         ctx.route({ method: "GET", path: "/api/probe/stream", summary: "x", access: "session", returns: "event-stream",
           handle: () => ({ kind: "event-stream", open: (client) => void client.send({ event: "hello", data: {} }) }) });`,
      ),
    );
    const daemon = await startDaemon(home);
    const stream = readEventStream(await daemon.call("/api/probe/stream"));
    await stream.next();
    const token = (await readFile(join(home, "token"), "utf8")).trim();
    const url = `http://127.0.0.1:${daemon.port}/api/probe/socket`;
    const socket = await openSocket(url, {
      authorization: `Bearer ${token}`,
      origin: `http://127.0.0.1:${daemon.port}`,
    });
    // On which nothing is ever sent.
    const silent = await openRaw(daemon.port);
    const begin = performance.now();
    daemon.kill(signal);
    expect(await stream.next()).toMatchObject({ event: "bye" });
    expect(await socket.closed).toMatchObject({ code: 1001 });
    expect(await daemon.ended).toMatchObject({ code: 0 });
    expect(performance.now() - begin).toBeLessThan(STOP_LIMIT_MS);
    silent.socket.destroy();
    // The home is free again, and nothing needs a fix.
    const again = await startDaemon(home);
    expect(again.log().filter(({ level }) => level !== "info")).toEqual([]);
  },
);
