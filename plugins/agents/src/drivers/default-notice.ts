/** What the user reads where a setting of an agent is not available any more. */
export function toDefaultNotice(
  what: "model" | "thinking",
  value: string,
  reason: string,
): string {
  return `It has no ${what} "${value}" (${reason.replace(/\.$/, "")}), so the default ${what} is used. Choose another in the settings of the agent.`;
}
