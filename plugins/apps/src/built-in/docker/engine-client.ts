// eslint-disable-next-line gantry/no-bare-fetch -- a Unix socket of this machine, nothing leaves it
import { request } from "node:http";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod";

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Lowest version of the engine's API that has all that is asked for here: Docker 20.10, Podman 4. */
const API = "/v1.41";

const container = z.object({
  Id: z.string().regex(/^[\da-f]{12,64}$/),
  Names: z.array(z.string()).default([]),
  Image: z.string().default(""),
  State: z.string().default(""),
  Status: z.string().default(""),
  /** Seconds since 1970. */
  Created: z.number().default(0),
  Ports: z
    .array(
      z.object({
        PublicPort: z.number().optional(),
        PrivatePort: z.number(),
        Type: z.string().default("tcp"),
      }),
    )
    .nullish(),
});

/** A container, as the engine describes it. */
export type Container = z.infer<typeof container>;

/** The engine refused, in its own words. */
export class EngineError extends Error {}

/** Where the socket of an engine may be, the likeliest first. */
export function findSocketPaths(environment: NodeJS.ProcessEnv): string[] {
  const { DOCKER_HOST: host, XDG_RUNTIME_DIR: runtime } = environment;
  return [
    ...(host?.startsWith("unix://") ? [host.slice("unix://".length)] : []),
    "/var/run/docker.sock",
    join(homedir(), ".docker/run/docker.sock"),
    ...(runtime
      ? [join(runtime, "docker.sock"), join(runtime, "podman/podman.sock")]
      : []),
  ];
}

/** Talks with a container engine over its socket: Docker, or Podman, which speaks the same. */
export class EngineClient {
  readonly #paths: readonly string[];

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** The socket that is there; `undefined` if none is. */
  async socket(): Promise<string | undefined> {
    for (const path of this.#paths) {
      const stats = await stat(path).catch(() => undefined);
      if (stats?.isSocket()) return path;
    }
    return undefined;
  }

  async list(signal: AbortSignal): Promise<Container[]> {
    const answer = await this.#ask("GET", "/containers/json?all=1", signal);
    return z.array(container).parse(JSON.parse(answer.toString()));
  }

  /** Its newest lines, with their times, as the engine frames them. */
  async logs(id: string, lines: number, signal: AbortSignal): Promise<Buffer> {
    const query = `stdout=1&stderr=1&timestamps=1&tail=${lines}`;
    return this.#ask("GET", `/containers/${id}/logs?${query}`, signal);
  }

  async start(id: string, signal: AbortSignal): Promise<void> {
    await this.#ask("POST", `/containers/${id}/start`, signal);
  }

  /** Resolves when the engine has stopped it, which it does by force after 3 s. */
  async stop(id: string, signal: AbortSignal): Promise<void> {
    await this.#ask("POST", `/containers/${id}/stop?t=3`, signal);
  }

  async #ask(method: string, path: string, signal: AbortSignal) {
    const socketPath = await this.socket();
    if (socketPath === undefined)
      throw new EngineError("The socket of the engine is gone.");
    const { status, body } = await exchange({
      socketPath,
      method,
      path: API + path,
      signal,
    });
    // 304 says that it is so already.
    if (status < 300 || status === 304) return body;
    throw new EngineError(
      readMessage(body) ?? `The engine answered ${status}.`,
    );
  }
}

interface Question {
  socketPath: string;
  method: string;
  path: string;
  signal: AbortSignal;
}

function exchange(question: Question) {
  return new Promise<{ status: number; body: Buffer }>((resolve, reject) => {
    const sent = request(
      { ...question, headers: { host: "localhost" } },
      (message) => {
        const chunks: Buffer[] = [];
        let length = 0;
        message.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length > MAX_ANSWER_BYTES)
            message.destroy(
              new EngineError("The engine's answer is too long."),
            );
        });
        message.on("error", reject);
        message.on("end", () =>
          resolve({
            status: message.statusCode ?? 0,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    sent.on("error", (cause: Error & { code?: string }) => {
      const isRefused =
        cause.code === "EACCES" || cause.code === "ECONNREFUSED";
      reject(
        isRefused
          ? new EngineError(
              `The engine at ${question.socketPath} cannot be reached (${cause.code}).`,
              { cause },
            )
          : cause,
      );
    });
    sent.end();
  });
}

function readMessage(body: Buffer): string | undefined {
  try {
    const { message } = JSON.parse(body.toString()) as { message?: unknown };
    return typeof message === "string" ? message.slice(0, 300) : undefined;
  } catch {
    return undefined;
  }
}
