import { readdir, readFile, readlink } from "node:fs/promises";
import { connect } from "node:net";

/** What the session of an agent connects to the browser with. */
export interface ToolKey {
  readonly socket: string;
  readonly key: string;
}

/** A process that works in a folder. */
export interface FolderProcess {
  readonly pid: number;
  readonly environment: string;
}

/** The processes whose folder is this one. */
export async function findProcessesIn(
  folder: string,
): Promise<FolderProcess[]> {
  const found: FolderProcess[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (cwd !== folder) continue;
    const environment = await readFile(`/proc/${name}/environ`, "utf8").catch(
      () => "",
    );
    found.push({ pid: Number(name), environment });
  }
  return found;
}

/** The keys in the environments of the processes that work in a folder, each once. */
export async function findToolKeys(folder: string): Promise<ToolKey[]> {
  const found = new Map<string, ToolKey>();
  for (const { environment } of await findProcessesIn(folder)) {
    const read = (name: string) =>
      environment
        .split("\0")
        .find((line) => line.startsWith(`${name}=`))
        ?.slice(name.length + 1);
    const key = read("GANTRY_BROWSER_KEY");
    const socket = read("GANTRY_BROWSER_SOCKET");
    if (key && socket) found.set(key, { key, socket });
  }
  return [...found.values()];
}

/** Lists the tools that a key opens. Gives `null` if the daemon closes the connection, or there is no listener. */
export function listTools({
  socket: path,
  key,
}: ToolKey): Promise<{ name: string }[] | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const send = (message: object) =>
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    let text = "";
    socket.on("error", () => {});
    socket.once("close", () => resolve(null));
    socket.write(`${key}\n`);
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {} };
    send({ id: 1, method: "initialize", params: { ...params, clientInfo } });
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/list" });
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (const line of text.split("\n").slice(0, -1)) {
        const { id, result } = JSON.parse(line) as {
          id?: number;
          result?: { tools: { name: string }[] };
        };
        if (id !== 2) continue;
        resolve(result?.tools ?? []);
        socket.destroy();
      }
    });
  });
}
