import type { Finding, PluginFacts } from "@gantry/plugin";
import type { ExaminedFacts } from "./contract.ts";
import { when } from "./finding.ts";

/** Programs of which one is enough, and the finding when none is installed. */
interface Alternatives {
  programs: string[];
  missing: { code: string; what: string };
}

/** Which plugins do not run. */
export function pluginFaults({ plugins }: ExaminedFacts): Finding[] {
  return plugins.flatMap(({ id, state, reason, origin }) => {
    const why = reason ? `: ${reason}` : "";
    return [
      ...when(
        state === "failed",
        "high",
        "PLUGIN_FAILED",
        `The plugin "${id}" does not run${why}.`,
        origin === "bundled"
          ? "Correct what it names, or leave it out with --plugins."
          : `Correct what it names, or take it out: gantry plugins remove ${id}`,
      ),
      ...when(
        state === "waiting",
        "low",
        "PLUGIN_WAITING",
        `The plugin "${id}" waits${why}.`,
        "It starts by itself once it has what it needs.",
      ),
    ];
  });
}

/** What is wrong with the process, and which programs are missing. */
export function machineFaults({
  programs,
  plugins,
  isRoot,
  checksCertificates,
}: ExaminedFacts): Finding[] {
  const isMissing = (name: string) =>
    programs.some((program) => program.name === name && program.path === null);
  return [
    ...when(
      !checksCertificates,
      "high",
      "TLS_UNCHECKED",
      "NODE_TLS_REJECT_UNAUTHORIZED=0 is set, so the certificates of HTTPS servers are not checked.",
      "Take the variable out of the environment and start again.",
    ),
    ...when(
      isRoot,
      "medium",
      "RUNS_AS_ROOT",
      "It runs as root, and so does every agent.",
      "Run it as a user of its own.",
    ),
    ...when(
      isMissing("git"),
      "low",
      "GIT_MISSING",
      "git is not on PATH, so nothing is known of repositories.",
      "Install git.",
    ),
    ...alternatives(plugins).flatMap(({ programs: names, missing }) =>
      when(
        names.every(isMissing),
        "low",
        missing.code,
        missing.what,
        `Install one: ${names.join(", ")}.`,
      ),
    ),
  ];
}

/** Programs of which one is enough, by the code of their finding: those that several plugins name are one group. */
function alternatives(plugins: readonly PluginFacts[]): Alternatives[] {
  const groups = new Map<string, Alternatives>();
  for (const { programs, missing } of plugins.flatMap(({ uses }) => uses)) {
    if (!missing) continue;
    const others = groups.get(missing.code)?.programs ?? [];
    groups.set(missing.code, {
      missing,
      programs: [...new Set([...others, ...programs])],
    });
  }
  return [...groups.values()];
}
