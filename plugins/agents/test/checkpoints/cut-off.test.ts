import { existsSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { startDoomedDaemon } from "../help/doomed-daemon.ts";
import { createRepository, plainGit } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { TurnsView, type TurnList } from "../help/turns-view.ts";
import { until } from "../help/wait.ts";
import { readState } from "../shipping/support/discarding.ts";

afterEach(() => vi.unstubAllEnvs());

/** A git on the PATH that stops before it gives out what is to be written, as long as `hold` is there. */
async function holdWrites(
  folder: string,
): Promise<{ hold: string; held: string }> {
  const [hold, held] = [join(folder, "hold"), join(folder, "held")];
  const bin = join(folder, "bin");
  await mkdir(bin);
  const real = (await plainGit(folder, "--exec-path")) + "/git";
  await writeFile(
    join(bin, "git"),
    `#!/bin/sh
case " $* " in *" checkout-index "*)
  if test -e ${hold}; then touch ${held}; while test -e ${hold}; do sleep 0.02; done; exit 1; fi;;
esac
exec ${real} "$@"
`,
  );
  await chmod(join(bin, "git"), 0o755);
  vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
  return { hold, held };
}

test.each(["restore", "discard"])(
  "a daemon that is killed during a %s leaves what undoes that",
  async (kind) => {
    const outer = await temporaryFolder();
    const cwd = await createRepository(join(outer, "work"), {
      "a.txt": "one\n",
      "b.txt": "one\n",
    });
    const { hold, held } = await holdWrites(outer);
    const home = await temporaryFolder();
    const daemon = await startDoomedDaemon(home, {});
    const input = { name: "Doomed", cli: "practice", cwd };
    const { body: agent } = await daemon.call<{ id: string }>(
      ...(["POST", "/api/agents", input] as const),
    );
    const path = `/api/agents/${agent.id}`;
    const message = "[[run:echo two > a.txt; echo two > b.txt]]";
    await daemon.call("POST", `${path}/prompt`, { message });
    const { turnId } = await until(async () => {
      const { body } = await daemon.call<TurnList>(
        ...(["GET", `${path}/turn-changes`] as const),
      );
      return body.items[0];
    }, "the turn is recorded");
    await plainGit(cwd, "add", "b.txt");
    const changed = await readState(cwd);
    await writeFile(hold, "");
    const write =
      kind === "restore"
        ? daemon.call("POST", `${path}/turn-changes/${turnId}/restore`, {})
        : daemon.call("POST", `${path}/git/discard`, {
            paths: ["a.txt", "b.txt"],
          });
    const over = write.catch(() => undefined);
    await until(async () => existsSync(held), "it is about to write");
    await daemon.kill();
    await over;
    await rm(hold);
    // As if half of it had been written.
    await writeFile(join(cwd, "a.txt"), "one\n");
    await using agents = await AgentsKernel.start({ home });
    const view = new TurnsView(agents, agent.id, cwd);
    const { items } = await view.list();
    expect(items).toMatchObject([{ turnId, undone: false }]);
    const discards = await agents.kernel.api.get<{
      items: { undoId: string }[];
    }>(`${path}/git/discards`);
    const undoId =
      kind === "restore" ? items[0]!.undoId : discards.body.items[0]!.undoId;
    const undone = await view.restore(undoId!);
    expect(undone.status, JSON.stringify(undone.body)).toBe(200);
    expect(await readState(cwd)).toBe(changed);
  },
);
