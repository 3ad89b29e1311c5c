import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { TameDriver } from "../help/tame-driver.ts";

let agents: AgentsKernel;
let cwd: string;
const memory = new MemoryDriver();
const tame = new TameDriver();

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "gantry-exports-"));
  agents = await AgentsKernel.start({
    clis: { ...memory.clis, ...tame.clis },
    beside: [memory.plugin, tame.plugin],
    limits: { openAgents: 50 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(cwd, { recursive: true, force: true });
});

const api = () => agents.kernel.api;
const create = (more = {}) => agents.create({ cli: "memory", cwd, ...more });

async function exportOf(id: string, format?: string) {
  const query = format === undefined ? "" : `?format=${format}`;
  const response = await api().open(`/api/agents/${id}/export${query}`);
  return { response, text: await response.text() };
}

function importTo(id: string, text: string | Uint8Array, type?: string) {
  const body = typeof text === "string" ? Buffer.from(text) : text;
  return api().request<Record<string, unknown>>(
    "POST",
    `/api/agents/${id}/import`,
    { body, headers: { "content-type": type ?? "application/x-ndjson" } },
  );
}

describe("export and import", () => {
  test("a conversation comes back as it was, and the CLI learns of it", async () => {
    const { id } = await create({ name: "Ada / Łódź" });
    for (const text of ["one", "two"]) await agents.ask(id, text);
    const { response, text } = await exportOf(id);
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    expect(response.headers.get("content-disposition")).toBe(
      "attachment; filename*=UTF-8''Ada-%C5%81%C3%B3d%C5%BA.jsonl",
    );
    const other = await create();
    expect((await importTo(other.id, text)).body).toEqual({ entries: 4 });
    const bare = async (agentId: string) =>
      (await agents.entries(agentId)).map(
        ({ id: _id, parentId: _parentId, ...entry }) => entry,
      );
    expect(await bare(other.id)).toEqual(await bare(id));
    expect(await agents.get(other.id)).toMatchObject({
      lastMessage: "one | two",
    });
    const { body } = await agents.ask(other.id, "three");
    expect(body.answer).toContain("User: one");
    expect(body.answer).toMatch(/three$/);
  });

  test("an agent with a conversation takes none", async () => {
    const { id } = await create();
    await agents.ask(id, "one");
    const { text } = await exportOf(id);
    expect(await importTo(id, text)).toMatchObject({
      status: 409,
      body: { code: "AGENT_NOT_EMPTY" },
    });
    const shelled = await create();
    await api().post(`/api/agents/${shelled.id}/bash`, { command: "true" });
    expect((await importTo(shelled.id, text)).status).toBe(409);
  });

  const entry = JSON.stringify({
    id: "ent_x",
    parentId: null,
    at: "2026-01-01T00:00:00.000Z",
    turnId: null,
    role: "user",
    kind: "text",
    text: "hi",
  });
  const first = JSON.stringify({ gantry: "conversation", version: 1 });
  test.each([
    ["no first line", entry, "Line 1"],
    ["nothing at all", "", "Line 1"],
    ["a torn line", `${first}\n${entry}\n${entry.slice(0, 40)}`, "Line 3"],
    ["a wrong entry", `${first}\n{"id":7}`, "Line 2"],
    ["a later version", '{"gantry":"conversation","version":2}', "version 2"],
    ["no UTF-8", new Uint8Array([0xff, 0xfe]), "UTF-8"],
  ])(
    "%s is 400 that says where, and nothing is taken",
    async (_, text, where) => {
      const { id } = await create();
      const answer = await importTo(id, text);
      expect(answer).toMatchObject({
        status: 400,
        body: { code: "AGENT_IMPORT_INVALID" },
      });
      expect(answer.body["detail"]).toContain(where);
      expect(await agents.entries(id)).toEqual([]);
      expect((await importTo(id, `${first}\n${entry}\n`)).body).toEqual({
        entries: 1,
      });
    },
  );

  test("another media type is 415", async () => {
    const { id } = await create();
    expect((await importTo(id, first, "text/plain")).status).toBe(415);
  });
});

describe("export", () => {
  test("as a page shows what was said, and nothing of it is alive", async () => {
    const { id } = await create({ name: "<b>bold</b>" });
    await agents.ask(
      id,
      "see `code` <script>alert(1)</script> [x](javascript:alert(1)) ![y](http://evil.example/p.png)",
    );
    await api().post(`/api/agents/${id}/bash`, {
      command: "printf '```\\n<img src=x onerror=alert(1)>'",
    });
    const { response, text } = await exportOf(id, "html");
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(text).toContain("<code>code</code>");
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).not.toMatch(/<(script|img|b)\b|href="javascript/i);
    expect(text).toContain("default-src 'none'");
  });

  test("in the CLI's own form, where it has one", async () => {
    const { id } = await create();
    const nothing = await exportOf(id, "native");
    expect(nothing.response.status).toBe(409);
    expect(JSON.parse(nothing.text)).toMatchObject({ code: "AGENT_NO_RECORD" });
    await agents.ask(id, "one");
    expect((await exportOf(id, "native")).text).toBe("one\n");
    const other = await agents.create({ cli: "tame" });
    expect((await exportOf(other.id, "native")).response.status).toBe(501);
    expect((await exportOf(id, "pdf")).response.status).toBe(400);
  });
});

describe("share", () => {
  const share = (id: string, body: object) =>
    api().post<Record<string, unknown>>(`/api/agents/${id}/share`, body);

  async function withPath<Result>(
    gh: string | null,
    work: (folder: string) => Promise<Result>,
  ): Promise<Result> {
    const folder = await mkdtemp(join(tmpdir(), "gantry-gh-"));
    const path = process.env["PATH"];
    if (gh !== null) await writeFile(join(folder, "gh"), gh, { mode: 0o755 });
    process.env["PATH"] = gh === null ? folder : [folder, path].join(delimiter);
    try {
      return await work(folder);
    } finally {
      process.env["PATH"] = path;
      await rm(folder, { recursive: true, force: true });
    }
  }

  test("needs a confirmation, then gives the address that gh gave", async () => {
    const { id } = await create({ name: "Ada" });
    await agents.ask(id, "one");
    await withPath(
      '#!/bin/sh\necho "$@" > "$(dirname "$0")/args"\ncat > "$(dirname "$0")/text"\necho https://gist.github.com/u/1\n',
      async (folder) => {
        expect(await share(id, {})).toMatchObject({
          status: 400,
          body: { code: "AGENT_NOT_CONFIRMED" },
        });
        expect((await share(id, { confirm: true })).body).toEqual({
          url: "https://gist.github.com/u/1",
        });
        const args = await readFile(join(folder, "args"), "utf8");
        expect(args).toContain("gist create");
        expect(args).not.toContain("--public");
        expect(await readFile(join(folder, "text"), "utf8")).toContain(
          "## User\n\none",
        );
      },
    );
  });

  test("what gh says when it fails is told", async () => {
    const { id } = await create();
    await withPath("#!/bin/sh\necho not logged in >&2\nexit 4\n", async () => {
      const answer = await share(id, { confirm: true });
      expect(answer.status).toBe(502);
      expect(answer.body["detail"]).toContain("not logged in");
    });
  });

  test("without gh it is 503 that names it", async () => {
    const { id } = await create();
    await withPath(null, async () => {
      const answer = await share(id, { confirm: true });
      expect(answer.status).toBe(503);
      expect(answer.body["detail"]).toContain('"gh"');
    });
  });
});
