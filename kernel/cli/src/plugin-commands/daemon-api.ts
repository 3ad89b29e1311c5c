import { once } from "node:events";
// eslint-disable-next-line gantry/no-bare-fetch -- the user's own daemon on this machine, which may take hours to answer
import { request as requestPlainly } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
// eslint-disable-next-line gantry/no-bare-fetch -- the same, where it serves HTTPS
import { request as requestSecurely } from "node:https";
import { text } from "node:stream/consumers";
import type { CommandInput } from "@gantry/plugin";
import { readToken } from "@gantry/system/home/install-token";
import { parseJson } from "@gantry/system/parse-json";
import type { RunningDaemon } from "../commands/running-daemon.ts";
import { UserError } from "@gantry/system/user-error";

/** The daemon refused a call. Its message is what the daemon says. */
class DaemonRefusal extends UserError {
  /** Of the table of errors; `undefined` if the answer has none. */
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/**
 * Calls the operations of a running daemon with the install token, at its address on this machine.
 *
 * @param tokenFile Where the token is.
 * @param signal Ends a call when it aborts. There is no other limit of time.
 */
export function createDaemonApi(
  daemon: RunningDaemon,
  tokenFile: string,
  signal: AbortSignal,
): NonNullable<CommandInput["daemon"]> {
  const { url } = daemon;
  return {
    url,
    async call(method, path, body, options = {}) {
      const until = AbortSignal.any([signal, options.signal ?? signal]);
      const { localUrl } = await daemon.call<{ localUrl: string }>(
        "status",
        {},
        until,
      );
      const token = await readToken(tokenFile);
      const headers = {
        authorization: `Bearer ${token ?? ""}`,
        accept: "application/json",
        ...(body && { "content-type": "application/json" }),
      };
      const message = await send(
        new URL(path, localUrl),
        { method, headers, signal: until },
        body && JSON.stringify(body),
      ).catch((cause: Error) => {
        until.throwIfAborted();
        throw new UserError(
          `The daemon at ${localUrl} does not answer: ${cause.message}.`,
          { cause },
        );
      });
      return readAnswer(message);
    },
  };
}

/** Sends a request and resolves when its answer begins. */
async function send(
  url: URL,
  options: RequestOptions,
  body: string | undefined,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const call = (isSecure ? requestSecurely : requestPlainly)(url, {
    ...options,
    agent: false,
    // It stays on this machine, and certificates of the daemon's own are self-signed.
    ...(isSecure && { rejectUnauthorized: false }),
  });
  // One that comes later reaches the reader of the answer.
  call.on("error", () => {}).end(body);
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  return answer;
}

async function readAnswer(message: IncomingMessage): Promise<unknown> {
  const body = await text(message);
  const status = message.statusCode ?? 0;
  const answer = parseJson(body);
  if (status === 200) return answer === undefined ? body : answer;
  const { detail, title, code } = (answer ?? {}) as Record<string, unknown>;
  throw new DaemonRefusal(
    String(detail ?? title ?? `The daemon answered ${status}.`),
    typeof code === "string" ? code : undefined,
  );
}
