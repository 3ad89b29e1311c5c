import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createDockerApp } from "../../src/built-in/docker.ts";
import {
  EngineClient,
  findSocketPaths,
} from "../../src/built-in/docker/engine-client.ts";
import { readLog } from "../../src/built-in/docker/read-log.ts";
import { appView } from "../../src/contract.ts";
import type { ShownBlock } from "../../src/contract.ts";

const ID = "0123456789ab".padEnd(64, "c");
const signal = new AbortController().signal;

/** An engine that answers as Docker does, with one container. */
async function startEngine(refusal?: { status: number; message: string }) {
  const folder = await mkdtemp(join(tmpdir(), "gantry-engine-"));
  const socket = join(folder, "docker.sock");
  const asked: string[] = [];
  let state = "running";
  const server = createServer((request, response) => {
    const { method, url = "" } = request;
    asked.push(`${method} ${url}`);
    if (refusal) {
      const { status, message } = refusal;
      return response.writeHead(status).end(JSON.stringify({ message }));
    }
    if (url.includes("/logs"))
      return response.end(
        Buffer.concat([
          frame(1, "2026-03-02T12:00:00.123456789Z Ready\n"),
          frame(2, "2026-03-02T12:00:01.000000000Z \u001b[31mOops\u001b[0m\n"),
        ]),
      );
    if (url.endsWith("/start") || url.includes("/stop")) {
      state = url.endsWith("/start") ? "running" : "exited";
      return response.writeHead(204).end();
    }
    response.end(
      JSON.stringify([
        {
          Id: ID,
          Names: ["/web"],
          Image: "nginx:1",
          State: state,
          Status: "Up 2 hours",
          Created: 1772452800,
          Ports: [
            { PublicPort: 8080, PrivatePort: 80, Type: "tcp" },
            { PublicPort: 8080, PrivatePort: 80, Type: "tcp" },
            { PrivatePort: 443 },
          ],
        },
      ]),
    );
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  const app = createDockerApp(new EngineClient([socket]));
  const view = async (path = "") =>
    appView.parse(await app.view({ path }, signal));
  const act = (action: string, args: Record<string, unknown>) =>
    app.action!({ action, path: "", args }, signal);
  return { app, view, act, asked };
}

function frame(stream: number, text: string): Buffer {
  const head = Buffer.alloc(8);
  head[0] = stream;
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

const rowsOf = (block: ShownBlock | undefined) =>
  block?.type === "table" ? block.rows : [];

test("containers are listed with ports, and counted on the tile", async () => {
  const { app, view } = await startEngine();
  const [row] = rowsOf((await view()).blocks[0]);
  expect(row).toMatchObject({
    path: "container/0123456789ab",
    cells: {
      name: { text: "web" },
      state: { text: "Up 2 hours", tone: "success" },
      ports: "8080 to 80",
      created: { time: "2026-03-02T12:00:00.000Z" },
    },
  });
  expect(await app.badge!({}, signal)).toMatchObject({ text: "1" });
});

test("a container is stopped and started", async () => {
  const { view, act, asked } = await startEngine();
  const button = async () =>
    rowsOf((await view()).blocks[0])[0]?.actions[0]?.label;
  expect(await button()).toBe("Stop");
  await act("stop", { id: ID });
  expect(await button()).toBe("Start");
  await act("start", { id: ID });
  expect(await button()).toBe("Stop");
  expect(asked.filter((line) => line.startsWith("POST"))).toEqual([
    `POST /v1.41/containers/${ID}/stop?t=3`,
    `POST /v1.41/containers/${ID}/start`,
  ]);
});

test("the page of a container has its log", async () => {
  const { view } = await startEngine();
  const { title, parent, blocks } = await view("container/0123456789ab");
  expect([title, parent?.path]).toEqual(["web", ""]);
  expect(blocks.find(({ type }) => type === "log")).toMatchObject({
    lines: [
      { text: "Ready", time: "2026-03-02T12:00:00.123Z", tone: "neutral" },
      { text: "Oops", time: "2026-03-02T12:00:01.000Z", tone: "attention" },
    ],
  });
});

test.each([
  "../x",
  "container/../../x",
  "container/zz",
  "container/ffffffffffff",
])("there is no page %s", async (path) => {
  const { view } = await startEngine();
  await expect(view(path)).rejects.toMatchObject({
    code: "APP_PAGE_NOT_FOUND",
  });
});

test.each([
  ["remove", { id: ID }],
  ["stop", { id: "../../images" }],
  ["stop", {}],
  ["constructor", { id: ID }],
])(
  "the action %s with %j is refused, and the engine is not asked",
  async (action, args) => {
    const { act, asked } = await startEngine();
    await expect(act(action, args)).rejects.toMatchObject({
      code: "APP_REFUSED",
    });
    expect(asked).toEqual([]);
  },
);

test("what the engine refuses is said in its words", async () => {
  const { view, act } = await startEngine({ status: 500, message: "No room" });
  await expect(act("start", { id: ID })).rejects.toThrow("No room");
  expect((await view()).blocks).toMatchObject([
    { type: "markdown", text: expect.stringContaining("No room") as string },
  ]);
});

test("a machine without an engine says so", async () => {
  const app = createDockerApp(new EngineClient(["/nowhere/docker.sock"]));
  const { blocks } = appView.parse(await app.view({ path: "" }, signal));
  expect(blocks).toMatchObject([
    { text: expect.stringContaining("No container engine") as string },
  ]);
  expect(await app.badge!({}, signal)).toBeNull();
});

test("the socket that the environment names comes first", () => {
  expect(findSocketPaths({ DOCKER_HOST: "unix:///run/own.sock" })[0]).toBe(
    "/run/own.sock",
  );
  expect(findSocketPaths({ DOCKER_HOST: "tcp://x:1" })[0]).toBe(
    "/var/run/docker.sock",
  );
});

test("a log of a terminal is text alone, and no bytes make reading fail", () => {
  expect(readLog(Buffer.from("one\r\ntwo\n"))).toMatchObject([
    { text: "one" },
    { text: "two" },
  ]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      for (const { time } of readLog(Buffer.from(bytes)))
        if (time !== undefined) expect(Date.parse(time)).not.toBeNaN();
    }),
  );
});
