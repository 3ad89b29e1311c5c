/** Where plugins keep conversations and what belongs to them, in their folders: copied only if that is asked for. */
const CONVERSATION_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  agents: ["attachments", "exports", "practice", "transcripts"],
};

/** Whether a folder in a plugin's folder holds conversations. */
export function holdsConversations(plugin: string, folder: string): boolean {
  return CONVERSATION_FOLDERS[plugin]?.includes(folder) ?? false;
}

/** Whether a plugin keeps conversations. */
export function hasConversations(plugin: string): boolean {
  return Object.hasOwn(CONVERSATION_FOLDERS, plugin);
}
