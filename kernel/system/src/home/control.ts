import { hash } from "node:crypto";
import { once } from "node:events";
import { chmod, unlink } from "node:fs/promises";
// eslint-disable-next-line gantry/no-bare-fetch -- a Unix socket of our own, nothing leaves the machine
import { createServer, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { isGantryError } from "@gantry/plugin";
import { closeFolder } from "./home.ts";

/** Longest path that a socket may have on every system that we run on. */
const MAX_SOCKET_PATH_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 1024 * 1024;

/** What the user's own command line may ask of a running daemon. Takes and gives plain data. */
export type ControlCommands = Readonly<
  Record<string, (input: never) => unknown>
>;

/** Path of a home's control socket: in the home, or in a private temporary folder if that path is too long. */
export function controlPath(home: string): string {
  if (process.platform === "win32")
    return `\\\\.\\pipe\\gantry-${digest(home)}`;
  const inside = join(home, "control.sock");
  if (inside.length <= MAX_SOCKET_PATH_LENGTH) return inside;
  return join(tmpdir(), `gantry-${userInfo().uid}`, `${digest(home)}.sock`);
}

function digest(text: string): string {
  return hash("sha256", text, "hex").slice(0, 24);
}

/**
 * Serves the owner's commands on a Unix socket that only the user can open. It needs no pairing: a program that can open it
 * can read the whole home anyway.
 */
export async function serveControl(
  path: string,
  commands: ControlCommands,
): Promise<{ close(): Promise<void> }> {
  const server = createServer((message, response) => {
    const answer = (status: number, body: unknown) => {
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(body ?? null));
    };
    const command = Object.hasOwn(commands, message.url?.slice(1) ?? "")
      ? commands[message.url?.slice(1) ?? ""]
      : undefined;
    if (!command)
      return answer(404, {
        message: "This daemon does not know that command.",
      });
    readJson(message)
      .then((input) => command(input as never))
      .then(
        (result) => answer(200, result),
        (error: unknown) =>
          answer(isGantryError(error) ? error.status : 500, {
            message: error instanceof Error ? error.message : String(error),
          }),
      );
  });
  if (process.platform !== "win32") {
    // In a temporary folder another user could have made one of this name first.
    await closeFolder(dirname(path));
    // The lock is ours, so a socket that is still there is a dead daemon's.
    await unlink(path).catch(() => {});
  }
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(path, resolve),
  );
  if (process.platform !== "win32") await chmod(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Asks a running daemon for something.
 *
 * @param signal Gives up when it aborts.
 * @throws Error with the daemon's own words
 */
export async function callControl<Result>(
  path: string,
  command: string,
  input: object = {},
  signal?: AbortSignal,
): Promise<Result> {
  const call = request({
    socketPath: path,
    path: `/${command}`,
    method: "POST",
    headers: { host: "control" },
    signal,
  });
  // One that comes later reaches the reader of the answer.
  call.on("error", () => {}).end(JSON.stringify(input));
  const [message] = (await once(call, "response")) as [IncomingMessage];
  const result = await readJson(message);
  if (message.statusCode === 200) return result as Result;
  throw new Error(
    (result as { message?: string } | null)?.message ?? "The daemon refused.",
  );
}

async function readJson(message: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of message.setEncoding("utf8")) {
    text += chunk as string;
    if (text.length > MAX_MESSAGE_LENGTH)
      throw new Error("The message is too long.");
  }
  return JSON.parse(text) as unknown;
}
