import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const HEAD_BYTES = 4096;

/** A conversation of the practice agent, as a file. */
export interface ConversationFile {
  /** Id of the conversation. */
  id: string;
  /** The agent that it was started for; `null` if it was written before that was recorded. */
  agentId: string | null;
}

/** Lists the conversations in a folder, which need not exist. An unreadable one has no owner. */
export async function listConversations(
  folder: string,
): Promise<ConversationFile[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".jsonl"));
  return await Promise.all(
    files.map(async (name) => ({
      id: name.slice(0, -".jsonl".length),
      agentId: await readOwner(join(folder, name)).catch(() => null),
    })),
  );
}

/** Removes a conversation. */
export async function removeConversation(
  folder: string,
  id: string,
): Promise<void> {
  await rm(join(folder, `${id}.jsonl`), { force: true });
}

/** The first line names the agent that it was started for. */
async function readOwner(file: string): Promise<string | null> {
  const handle = await open(file);
  try {
    const block = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(block, 0, HEAD_BYTES, 0);
    const [line = ""] = block.toString("utf8", 0, bytesRead).split("\n", 1);
    const { agentId } = JSON.parse(line) as { agentId?: unknown };
    return typeof agentId === "string" ? agentId : null;
  } finally {
    await handle.close();
  }
}
