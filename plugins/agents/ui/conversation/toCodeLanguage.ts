import type { CodeLanguage } from "../../src/shell/code-blocks.ts";

/** How languages are written behind a fence. */
const names: Readonly<Record<string, CodeLanguage>> = {
  bash: "bash",
  shell: "bash",
  zsh: "bash",
  sh: "sh",
  python: "python",
  py: "python",
  python3: "python",
  javascript: "javascript",
  js: "javascript",
  mjs: "javascript",
  typescript: "typescript",
  ts: "typescript",
};

/** The language that a block can be run in, `undefined` if there is none. */
export function toCodeLanguage(name: string): CodeLanguage | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(names, key) ? names[key] : undefined;
}
