import { resultText } from "../result-text.ts";
import type { CodexItem } from "./codex-wire.ts";

/** A tool of Codex as it is shown, `undefined` for an item that is none. */
export function toTool(
  item: CodexItem,
): { callId: string; name: string; title: string; input: string } | undefined {
  const callId = item.id;
  switch (item.type) {
    case "commandExecution": {
      const { command, cwd } = item;
      const input = JSON.stringify({ command, cwd });
      return { callId, name: "shell", title: command.slice(0, 200), input };
    }
    case "fileChange": {
      const paths = item.changes.map(({ path }) => path).join(", ");
      const input = JSON.stringify({ changes: item.changes });
      const title = `edit: ${paths}`.slice(0, 200);
      return { callId, name: "edit", title, input };
    }
    case "mcpToolCall": {
      const name = `${item.server}.${item.tool}`;
      const input = JSON.stringify(item.arguments ?? null);
      return { callId, name, title: name, input };
    }
    case "webSearch": {
      const input = JSON.stringify({ query: item.query });
      return { callId, name: "web", title: `web: ${item.query}`, input };
    }
    default:
      return undefined;
  }
}

/** How a tool ended. */
export function toEnd(item: CodexItem): { failed: boolean; output: string } {
  switch (item.type) {
    case "commandExecution":
      return {
        failed: isFailed(item.status) || (item.exitCode ?? 0) !== 0,
        output: item.aggregatedOutput ?? "",
      };
    case "fileChange":
      return {
        failed: isFailed(item.status),
        output: item.changes
          .map(({ path, diff }) => `${path}\n${diff}`)
          .join("\n"),
      };
    case "mcpToolCall":
      return {
        failed: isFailed(item.status),
        output: item.error?.message ?? toOutput(item.result),
      };
    default:
      return { failed: false, output: "" };
  }
}

/** What a tool of a server gave: its content, or whatever else it has. */
function toOutput(result: unknown): string {
  const { content } = (result ?? {}) as { content?: unknown };
  return Array.isArray(content) && content.length > 0
    ? resultText(content)
    : JSON.stringify(result ?? "");
}

function isFailed(status: string): boolean {
  return status === "failed" || status === "declined";
}
