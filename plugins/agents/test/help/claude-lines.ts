/** Lines of Claude Code, as short words. */
export const INIT = { type: "system", subtype: "init", model: "m" };

export function say(text: string, more: object = {}): object {
  const message = { role: "assistant", content: [{ type: "text", text }] };
  return { type: "assistant", message, ...more };
}

export function useTool(id: string, command: string): object {
  const tool = { type: "tool_use", id, name: "Bash", input: { command } };
  return { type: "assistant", message: { role: "assistant", content: [tool] } };
}

export function result(text: string, more: object = {}): object {
  return {
    ...{ type: "result", subtype: "success", is_error: false, result: text },
    ...{ total_cost_usd: 0.1, usage: {}, ...more },
  };
}

export function taskStarted(id: string, description = "npm test"): object {
  const more = { task_id: id, description, task_type: "local_bash" };
  return { type: "system", subtype: "task_started", ...more };
}

export function toolResult(id: string): object {
  const output = { type: "tool_result", tool_use_id: id, content: "" };
  return { type: "user", message: { role: "user", content: [output] } };
}

export function taskUpdated(id: string, status: string): object {
  const more = { task_id: id, patch: { status } };
  return { type: "system", subtype: "task_updated", ...more };
}

export function taskEnded(id: string, status = "completed"): object {
  return { type: "system", subtype: "task_notification", task_id: id, status };
}

export function limited(status: string, more: object = {}): object {
  const limit = { status, resetsAt: 1_796_000_000, ...more };
  return {
    type: "rate_limit_event",
    rate_limit_info: { rateLimitType: "five_hour", ...limit },
  };
}
