import type { ToolServer } from "../../tool-server.ts";
import { writePrivateFile } from "../../tool-servers/tool-environment.ts";

/**
 * Writes the extension that gives pi the tools of these servers, since pi has no support for tool servers; returns its
 * arguments. The servers' `env` is not in the file: pi is started with it and passes its environment on.
 */
export async function piToolArguments(
  folder: string,
  tools: readonly ToolServer[],
): Promise<string[]> {
  if (tools.length === 0) return [];
  const servers = tools.map(({ name, command, args }) => ({
    ...{ name, command, args },
  }));
  const text = `const servers = ${JSON.stringify(servers)};\n${PROGRAM}`;
  return ["-e", await writePrivateFile(folder, "pi-tools.ts", text)];
}

/** The extension's source. It depends only on pi's interface for extensions and on Node. */
const PROGRAM = `
import { spawn } from "node:child_process";

const START_MS = 20000;

/** A tool server, which speaks JSON lines. */
function start(server, onChange) {
  const child = spawn(server.command, server.args, { stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  let next = 0;
  let rest = "";
  let gone;
  const fail = () => {
    gone = new Error("The tools of " + server.name + " are not there any more.");
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
  };
  child.once("error", fail);
  child.once("close", fail);
  child.stdin.on("error", () => undefined);
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\\n");
    rest = lines.pop();
    for (const line of lines) take(line);
  });

  function take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (message?.method === "notifications/tools/list_changed") return onChange();
    if (message?.method === "ping") return send({ id: message.id, result: {} });
    const call = message?.method === undefined ? waiting.get(message?.id) : undefined;
    if (!call) return;
    waiting.delete(message.id);
    if (message.error) call.reject(new Error(message.error.message));
    else call.resolve(message.result);
  }
  function send(message) {
    if (!gone) child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  }
  return {
    notify: (method, params) => send({ method, params }),
    stop: () => child.stdin.end(),
    ask(method, params, signal) {
      if (gone) return Promise.reject(gone);
      const id = ++next;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
        signal?.addEventListener(
          "abort",
          () => {
            if (!waiting.delete(id)) return;
            send({ method: "notifications/cancelled", params: { requestId: id } });
            reject(new Error("The call was cancelled."));
          },
          { once: true },
        );
      });
    },
  };
}

async function offer(pi, server, stops) {
  let changed = () => undefined;
  const peer = start(server, () => changed());
  stops.push(peer.stop);
  const list = async () => {
    const { tools = [] } = await peer.ask("tools/list", {}, AbortSignal.timeout(START_MS));
    for (const tool of tools) pi.registerTool(toTool(tool, peer));
  };
  await peer.ask(
    "initialize",
    { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "gantry-pi", version: "1" } },
    AbortSignal.timeout(START_MS),
  );
  peer.notify("notifications/initialized");
  await list();
  changed = () => void list().catch(() => undefined);
}

function toTool({ name, description = "", inputSchema }, peer) {
  return {
    name,
    label: name,
    description,
    parameters: inputSchema,
    async execute(_id, input, signal) {
      const { content = [], isError } = await peer.ask("tools/call", { name, arguments: input }, signal);
      const shown = content.filter(({ type }) => type === "text" || type === "image");
      if (isError) throw new Error(shown.map(({ text = "" }) => text).join("\\n") || "The tool failed.");
      return { content: shown, details: {} };
    },
  };
}

export default async function (pi) {
  const stops = [];
  const faults = [];
  await Promise.all(
    servers.map((server) =>
      // pi is useful without them too.
      offer(pi, server, stops).catch((error) => faults.push(server.name + ": " + error.message)),
    ),
  );
  pi.on("session_start", (_event, ctx) => {
    for (const fault of faults) ctx.ui.notify("Tools are missing. " + fault, "warning");
  });
  pi.on("session_shutdown", () => stops.forEach((stop) => stop()));
}
`;
