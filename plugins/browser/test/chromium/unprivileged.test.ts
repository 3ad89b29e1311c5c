import { createHash } from "node:crypto";
import {
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { expect, onTestFinished, test } from "vitest";
import { processesWith } from "../support/processes.ts";
import { REAL, startBrowsing } from "../support/start-browsing.ts";
import { createRealClock } from "../support/real-clock.ts";
import { startSite } from "../support/start-site.ts";
import { connectClient, textOf } from "../tools/support/mcp-client.ts";
import { createToolTaker } from "../tools/support/start-tools.ts";
import { openViewer } from "../view/support/open-viewer.ts";

const isPossible = process.getuid?.() === 0 && chromiumPath !== undefined;

/** Folder of the profiles of a home, which is removed when the test is over. */
function profilesOf(home: string): string {
  const key = createHash("sha256").update(home).digest("hex");
  const folder = `/var/lib/gantry-${key.slice(0, 12)}`;
  onTestFinished(() =>
    rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  );
  return folder;
}

(isPossible ? test : test.skip)(
  "the browser of root runs under an unprivileged account, sandboxed, on a profile that it owns",
  { tags: ["thorough"] },
  async () => {
    await using site = await startSite();
    await using bench = await startBrowsing({ command: REAL.command });
    const folder = profilesOf(bench.home);
    await bench.post(`http://127.0.0.1:${site.port}/`);
    await expect
      .poll(async () => (await bench.tabs()).map(({ title }) => title))
      .toEqual(["Shop"]);
    const all = await processesWith(folder);
    const renderers = all.filter(({ command }) =>
      command.includes("--type=renderer"),
    );
    expect(renderers).not.toEqual([]);
    for (const process of all) {
      const status = await readFile(`/proc/${process.pid}/status`, "utf8");
      expect(status).not.toMatch(/^Uid:\s+0\s/m);
      expect(process.command).not.toContain("--no-sandbox");
      // Mode 2: a filter restricts the system calls.
      if (renderers.includes(process))
        expect(status).toMatch(/^Seccomp:\s+2$/m);
    }
    expect((await stat(`${folder}/user`)).mode & 0o777).toBe(0o700);
  },
);

/** Says in its title what is in the files that it was given. */
const UPLOAD_PAGE = `<title>Upload</title><input type="file" multiple
  style="position:absolute;left:20px;top:20px;width:200px;height:40px"
  onchange="Promise.all(Array.from(this.files, async (file) => file.name + '=' + await file.text()))
    .then((texts) => document.title = texts.join(), (error) => document.title = error.name)">`;

(isPossible ? test : test.skip)(
  "the browser of root reads the files that it is given, of an agent's folder that is closed to others, and no more",
  { tags: ["thorough"] },
  async () => {
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    await using site = await startSite(UPLOAD_PAGE);
    const url = `http://localhost:${site.port}/`;
    const taker = createToolTaker();
    await using bench = await startBrowsing(
      { command: REAL.command },
      { beside: [taker.plugin], clock: createRealClock() },
    );
    const profiles = profilesOf(bench.home);
    const agentId = createIdentifier("agt");
    const cwd = await mkdtemp(join(tmpdir(), "upload-"));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const agent = { id: agentId, name: "Ada", cwd };
    bench.agents.agents.set(agentId, agent);
    await bench.api.put(`/api/browser/policies/${agentId}`, {
      ...{ tier: "act", sites: [`localhost:${site.port}`] },
    });
    const session = (await taker.admit(agentId))!;
    const client = await connectClient(session.server);
    const call = async (name: string, input: object) =>
      textOf(await client.call(`browser_${name}`, input));
    for (const name of ["a.txt", "b.txt"])
      await writeFile(join(cwd, name), `of ${name}`);
    const page = await call("navigate", { to: url });
    const ref = /button "[^"]*"[^\n]*\[ref=(e\d+)\]/.exec(page)?.[1];
    await call("upload", { ref, files: ["a.txt", "b.txt"] });
    const titled = async (title: string) =>
      await expect
        .poll(async () => (await bench.tabs()).map((tab) => tab.title))
        .toContain(title);
    await titled("a.txt=of a.txt,b.txt=of b.txt");
    // Nothing of the folder was opened to others for that.
    expect((await stat(cwd)).mode & 0o077).toBe(0);
    expect((await stat(join(cwd, "a.txt"))).mode & 0o077).toBe(0);
    expect(await call("upload", { ref, files: ["/etc/hosts"] })).toContain(
      "not in the agent's folder",
    );

    const { body: tab } = await bench.post(url);
    const viewer = await openViewer(bench, tab.id);
    await expect
      .poll(() => {
        viewer.click(60, 40);
        return viewer.messages.some(
          (message) => message.type === "files" && message.request !== null,
        );
      })
      .toBe(true);
    const { body: upload } = await bench.api.request<{ id: string }>(
      ...(["POST", `/api/browser/tabs/${tab.id}/files?name=mine.txt`] as const),
      {
        body: Buffer.from("of mine"),
        headers: { "content-type": "application/octet-stream" },
      },
    );
    viewer.send({ type: "files", ids: [upload.id] });
    await titled("mine.txt=of mine");
    viewer.close();

    client.close();
    taker.endAll();
    await bench.stop();
    const left = await readdir(join(profiles, agentId, "Gantry downloads"));
    expect(left).toEqual([]);
  },
);
