import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { AgentFolder } from "./agent-folder.ts";

/**
 * Opens the folder that an agent works in. Open it again for each request: it may be moved and recreated at any time.
 *
 * @param paths `home` is the daemon's, which holds secrets and is closed; `work`, which may lie in it, is open: agents
 *   without a project have their folders there.
 * @throws AGENT_FOLDER_GONE
 */
export async function openAgentFolder(
  cwd: string,
  paths: { home: string; work: string },
): Promise<AgentFolder> {
  const [home, work] = await Promise.all([
    toRealPath(paths.home),
    toRealPath(paths.work),
  ]);
  return await AgentFolder.open(
    cwd,
    (path) => isIn(path, home) && !isIn(path, work),
  );
}

async function toRealPath(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
