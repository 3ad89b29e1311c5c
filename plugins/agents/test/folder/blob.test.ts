import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { AgentsKernel } from "../help/agents-kernel.ts";

let agents: AgentsKernel;
let cwd: string;
let id: string;

beforeAll(async () => {
  agents = await AgentsKernel.start();
  cwd = await mkdtemp(join(tmpdir(), "gantry-blob-"));
  await writeFile(join(cwd, "ten"), "0123456789");
  await writeFile(join(cwd, "empty.png"), "");
  await writeFile(join(cwd, "huge.mp4"), "");
  await truncate(join(cwd, "huge.mp4"), 10 * 1024 ** 3);
  ({ id } = await agents.create({ cli: "practice", cwd }));
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(cwd, { recursive: true, force: true });
});

const open = (path: string, headers: Record<string, string> = {}) =>
  agents.kernel.api.open(
    `/api/agents/${id}/blob?path=${encodeURIComponent(path)}`,
    { headers },
  );

describe("ranges", () => {
  test.each([
    ["bytes=0-0", 206, "0", "bytes 0-0/10"],
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=-2", 206, "89", "bytes 8-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=5-99", 206, "56789", "bytes 5-9/10"],
    ["bytes=0-0,2-2", 200, "0123456789", null],
    [`bytes=${"0-0,".repeat(1000)}1-1`, 200, "0123456789", null],
    ["items=0-1", 200, "0123456789", null],
  ])("%s", async (range, status, text, contentRange) => {
    const answer = await open("ten", { range });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-range")).toBe(contentRange);
    expect(await answer.text()).toBe(text);
  });

  test.each([
    "bytes=10-",
    "bytes=5-1",
    "bytes=-0",
    "bytes=-",
    "bytes=x",
    "bytes=1-2-3",
    `bytes=${"9".repeat(40)}-`,
  ])("there is no part %s", async (range) => {
    const answer = await open("ten", { range });
    expect(answer.status).toBe(416);
    expect(answer.headers.get("content-range")).toBe("bytes */10");
  });

  test("a part of another version is of no use", async () => {
    const etag = (await open("ten")).headers.get("etag") ?? "";
    const same = await open("ten", { range: "bytes=0-0", "if-range": etag });
    const other = await open("ten", { range: "bytes=0-0", "if-range": '"x"' });
    expect([same.status, other.status]).toEqual([206, 200]);
  });

  test("a file of 10 GB is begun at once, in its midst too, and nothing is held", async () => {
    const before = process.memoryUsage().rss;
    const part = await open("huge.mp4", {
      range: "bytes=9000000000-9000000003",
    });
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(new Uint8Array(4));
    const leaving = new AbortController();
    const whole = await agents.kernel.api.open(
      `/api/agents/${id}/blob?path=huge.mp4`,
      { signal: leaving.signal },
    );
    expect(whole.headers.get("content-length")).toBe(String(10 * 1024 ** 3));
    const reader = whole.body!.getReader();
    for (let read = 0; read < 50 * 1024 ** 2;)
      read += (await reader.read()).value?.length ?? Infinity;
    leaving.abort();
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
  });

  test("an empty file has no bytes and no parts", async () => {
    expect(await (await open("empty.png")).text()).toBe("");
    expect((await open("empty.png", { range: "bytes=0-0" })).status).toBe(416);
  });
});

test.each([
  ["x.html", "application/octet-stream", "attachment"],
  ["x.svg", "image/svg+xml", "attachment"],
  ["x.xml", "application/octet-stream", "attachment"],
  ["x.js", "application/octet-stream", "attachment"],
  ["x", "application/octet-stream", "attachment"],
  ["x.PDF", "application/pdf", "attachment"],
  ["x.gif", "image/gif", "inline"],
  ["x.mp3", "audio/mpeg", "attachment"],
])("%s cannot act as a page", async (name, type, disposition) => {
  await writeFile(join(cwd, name), "GIF89a/*<script>*/");
  const { headers } = await open(name);
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": type,
    "content-disposition": `${disposition}; filename="${name}"; filename*=UTF-8''${name}`,
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
});

test("a name cannot add a header or a folder", async () => {
  const name = 'a"\r\nSet-Cookie: x=1 \\ é😀.txt';
  await writeFile(join(cwd, name), "x");
  const { status, headers } = await open(name);
  expect(status).toBe(200);
  expect(headers.get("set-cookie")).toBeNull();
  expect(headers.get("content-disposition")).toBe(
    "attachment; filename=\"a___Set-Cookie: x=1 _ ___.txt\"; filename*=UTF-8''a___Set-Cookie%3A%20x%3D1%20_%20%C3%A9%F0%9F%98%80.txt",
  );
});
