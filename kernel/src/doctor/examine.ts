import { stat } from "node:fs/promises";
import type { RunningDaemon } from "../commands/running-daemon.ts";
import { loadConfig } from "../config/config.ts";
import type { PluginLine } from "../control-commands.ts";
import { homePaths } from "../home/home.ts";
import { findExecutable } from "../processes/executable.ts";

/** One thing that was looked at. `high` needs mending. */
export interface Finding {
  level: "ok" | "low" | "high";
  what: string;
  /** What to do about it. */
  fix?: string;
}

/** Programs that parts of the daemon use when they are there. */
const PROGRAMS = ["git", "gh", "pi", "claude", "codex"];
const OPEN_TO_OTHERS = 0o077;

/** Looks at a home, at the daemon on it if one runs, and at the programs on PATH. */
export async function examine(
  homeFolder: string,
  daemon: RunningDaemon | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  return [
    { level: "ok", what: `Node ${process.version}` },
    ...(await examineHome(homeFolder, environment)),
    ...(await examineDaemon(daemon)),
    ...(await examinePrograms(environment.PATH ?? "")),
  ];
}

async function examineHome(
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const home = homePaths(folder);
  const stats = await stat(folder).catch(() => undefined);
  if (!stats)
    return [
      {
        level: "low",
        what: `The home ${folder} is not made yet`,
        fix: "The first `gantry serve` makes it.",
      },
    ];
  const findings: Finding[] = [{ level: "ok", what: `Home ${folder}` }];
  for (const path of [home.folder, home.token, home.database]) {
    const mode = await stat(path).then(
      (found) => found.mode & OPEN_TO_OTHERS,
      () => 0,
    );
    if (mode === 0 || process.platform === "win32") continue;
    findings.push({
      level: "high",
      what: `${path} is open to other users`,
      fix: `chmod go-rwx ${path}`,
    });
  }
  await loadConfig({ home: folder }, environment).catch((error: Error) => {
    findings.push({
      level: "high",
      what: error.message,
      fix: "Correct it; the next start will refuse it.",
    });
  });
  return findings;
}

async function examineDaemon(
  daemon: RunningDaemon | undefined,
): Promise<Finding[]> {
  if (!daemon)
    return [
      {
        level: "low",
        what: "No daemon runs on this home",
        fix: "Start it with `gantry serve`.",
      },
    ];
  const { plugins } = await daemon.call<{ plugins: PluginLine[] }>("status");
  return [
    {
      level: "ok",
      what: `The daemon (pid ${daemon.pid}) serves ${daemon.url}`,
    },
    ...plugins.map(({ id, state, reason }): Finding =>
      state === "active"
        ? { level: "ok", what: `Plugin ${id} is active` }
        : {
            level: state === "failed" ? "high" : "low",
            what: `Plugin ${id} is ${state}${reason ? `: ${reason}` : ""}`,
          },
    ),
  ];
}

async function examinePrograms(path: string): Promise<Finding[]> {
  const found = await Promise.all(
    PROGRAMS.map(async (name) => ({
      name,
      file: await findExecutable(name, path),
    })),
  );
  return found.map(({ name, file }) =>
    file
      ? { level: "ok", what: `${name} is ${file}` }
      : { level: "low", what: `${name} is not on PATH` },
  );
}
