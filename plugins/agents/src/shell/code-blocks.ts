import type { Run } from "@gantry/plugin";
import { errors } from "../errors.ts";

/** Languages whose blocks can be run. */
export const CODE_LANGUAGES = [
  "bash",
  "sh",
  "python",
  "javascript",
  "typescript",
] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

/** How a block of code ended. */
export interface CodeResult {
  /** `null` if it was ended from outside. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  /** Only the beginning of what it said was kept. */
  truncated: boolean;
}

const TIMEOUT_MS = 15_000;

/** The programs that can run a language, and what makes each read it from its standard input. */
const PROGRAMS: Record<CodeLanguage, readonly (readonly string[])[]> = {
  bash: [["bash", "-s"]],
  sh: [["sh", "-s"]],
  python: [
    ["python3", "-"],
    ["python", "-"],
  ],
  javascript: [[process.execPath, "--input-type=module", "-"]],
  typescript: [
    [process.execPath, "--no-warnings", "--input-type=module-typescript", "-"],
  ],
};

/**
 * Runs a block of code in the folder of an agent, for at most 15 s.
 *
 * @throws AGENT_TOOL_MISSING, which names what would run it
 */
export async function runCode(
  run: Run,
  { id, cwd }: { id: string; cwd: string },
  lang: CodeLanguage,
  code: string,
  signal: AbortSignal,
): Promise<CodeResult> {
  const [file, ...args] = await findProgram(run, lang);
  const { code: exitCode, ...rest } = await run.collect(file, args, {
    cwd,
    subject: { type: "agent", id },
    input: code,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  const { stdout, stderr, timedOut, truncated } = rest;
  return { exitCode, stdout, stderr, timedOut, truncated };
}

async function findProgram(
  run: Run,
  lang: CodeLanguage,
): Promise<[string, ...string[]]> {
  for (const [name = "", ...args] of PROGRAMS[lang]) {
    const file =
      name === process.execPath ? process.execPath : await run.find(name);
    if (file !== undefined) return [file, ...args];
  }
  throw errors.AGENT_TOOL_MISSING({ tool: PROGRAMS[lang][0]?.[0] ?? lang });
}
