import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { WorkspaceKernel } from "../support/workspace-kernel.ts";

async function startIn(cwd: string) {
  const agents = await WorkspaceKernel.start();
  const { id } = await agents.create({ cwd });
  const post = async (operation: string, body: object) => {
    const path = `/api/agents/${id}/${operation}`;
    const answer = await agents.kernel.api.post<{ code?: string }>(path, body);
    return { ...answer, code: answer.body.code };
  };
  return { agents, post };
}

describe("reveal", () => {
  test("shows the folder, and of a file the one that it is in, by its whole path", async () => {
    const outer = await temporaryFolder();
    const cwd = join(outer, "app");
    const tools = join(outer, "tools");
    await mkdir(join(cwd, "-a Terminal"), { recursive: true });
    await mkdir(tools);
    await writeFile(join(cwd, "-a Terminal/x.desktop"), "");
    await writeFile(
      join(tools, "xdg-open"),
      `#!/bin/sh\nfor word in "$@"; do echo "$word" >> ${outer}/called; done\n`,
    );
    await chmod(join(tools, "xdg-open"), 0o755);
    vi.stubEnv("PATH", [tools, process.env["PATH"]].join(delimiter));
    vi.stubEnv("DISPLAY", ":99");
    try {
      const { agents, post } = await startIn(cwd);
      await using _ = agents.kernel;
      expect((await post("reveal", {})).body).toEqual({ ok: true });
      await post("reveal", { path: "-a Terminal" });
      await post("reveal", { path: "-a Terminal/x.desktop" });
      for (const path of ["../", "/etc", "https://evil.example", "-a"])
        expect([403, 404]).toContain((await post("reveal", { path })).status);
      expect(
        (await readFile(join(outer, "called"), "utf8")).trim().split("\n"),
      ).toEqual([cwd, join(cwd, "-a Terminal"), join(cwd, "-a Terminal")]);
      await rm(join(tools, "xdg-open"));
      vi.stubEnv("PATH", tools);
      expect(await post("reveal", {})).toMatchObject({
        status: 503,
        code: "AGENT_TOOL_MISSING",
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("needs a screen", async () => {
    vi.stubEnv("DISPLAY", undefined);
    vi.stubEnv("WAYLAND_DISPLAY", undefined);
    const { agents, post } = await startIn(await temporaryFolder());
    await using _ = agents.kernel;
    expect(await post("reveal", {})).toMatchObject({
      status: 503,
      code: "AGENT_TOOL_MISSING",
    });
    vi.unstubAllEnvs();
  });
});
