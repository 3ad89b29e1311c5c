import type { InboxItem } from "../../src/contract.ts";

/** A page that an item speaks of. */
export interface ItemLink {
  label: string;
  to: string;
  icon: string;
}

/** The pages of what an item comes from: its automation, and the place in its agent's conversation. */
export function toItemLinks({ source, agentId, run }: InboxItem): ItemLink[] {
  const links: ItemLink[] = [];
  if (source.type === "automation")
    links.push({
      label: "Automation",
      to: `/automations/${encodeURIComponent(source.id)}`,
      icon: "i-lucide-calendar-clock",
    });
  const agent = source.type === "agent" ? source.id : agentId;
  if (agent !== null)
    links.push({
      label: "Conversation",
      to: `/agents/${encodeURIComponent(agent)}${run ? `?run=${encodeURIComponent(run.id)}` : ""}`,
      icon: "i-lucide-messages-square",
    });
  return links;
}

/** Who an item comes from, in a word. */
export function toSourceName({ source }: InboxItem): string {
  if (source.name) return source.name;
  return source.type === "kernel" ? "Gantry" : source.type;
}
