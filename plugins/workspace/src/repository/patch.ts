import type { AgentFolder } from "@gantry/agent-folder";
import type { Git, GitResult } from "@gantry/plugin";
import { decodeText, readSmall } from "../files/text-files.ts";
import { readGit } from "./read-git.ts";

const MAX_PATCH_BYTES = 2 * 1024 * 1024;
const MAX_NEW_FILE_BYTES = 512 * 1024;

/** Changes in the form that git prints them. */
export interface Patch {
  patch: string;
  /** Whether its end was cut off. */
  truncated: boolean;
}

/** The usual form of a patch, whatever the settings of the repository. */
export const PATCH_ARGUMENTS = [
  "--relative",
  "--no-color",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--submodule=short",
  "-U3",
  "-M",
];

/** What git printed, cut after a whole line. */
export function toPatch({ stdout, truncated }: GitResult): {
  text: string;
  truncated: boolean;
} {
  const text = truncated
    ? stdout.slice(0, stdout.lastIndexOf("\n") + 1)
    : stdout;
  return { text, truncated };
}

/**
 * Reads the changes since the last commit: of one file, tracked or not, or of all tracked files.
 *
 * @param from Path of the file before it was renamed.
 */
export async function readPatch(
  git: Git,
  folder: AgentFolder,
  { path, from }: { path?: string | undefined; from?: string | undefined },
): Promise<Patch> {
  const hasCommit = (await git.resolve(folder.root, "HEAD")) !== undefined;
  const paths = [path, from].filter((name) => name !== undefined);
  const options = paths.length > 0 ? { paths } : {};
  const result = await readGit(
    git,
    folder.root,
    "diff",
    [...PATCH_ARGUMENTS, hasCommit ? "HEAD" : "--cached"],
    { ...options, maxOutputBytes: MAX_PATCH_BYTES },
  );
  const { text, truncated } = toPatch(result);
  if (text === "" && path !== undefined && (await isUnknown(git, folder, path)))
    return await patchOfNew(folder, path);
  return { patch: text, truncated };
}

async function isUnknown(
  git: Git,
  folder: AgentFolder,
  path: string,
): Promise<boolean> {
  const listed = await readGit(git, folder.root, "ls-files", ["-z"], {
    paths: [path],
  });
  if (listed.stdout !== "") return false;
  const { stats } = await folder.find(path);
  return stats?.isFile() ?? false;
}

/** The patch that creates a file which git does not track. */
async function patchOfNew(folder: AgentFolder, path: string): Promise<Patch> {
  const { data } = await readSmall(folder, path, MAX_NEW_FILE_BYTES);
  const head = `diff --git a/${path} b/${path}\nnew file mode 100644\n`;
  const text = decodeText(data);
  if (text === undefined)
    return {
      patch: `${head}Binary files /dev/null and b/${path} differ\n`,
      truncated: false,
    };
  const isEnded = text.endsWith("\n");
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  if (lines.length === 0) return { patch: head, truncated: false };
  const body = lines.map((line) => `+${line}\n`).join("");
  const note = isEnded ? "" : "\\ No newline at end of file\n";
  return {
    patch: `${head}--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${body}${note}`,
    truncated: false,
  };
}
