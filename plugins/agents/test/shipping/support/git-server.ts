import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

/** Serves the bare repositories in a folder over HTTP, and takes any push. */
export interface GitServer extends AsyncDisposable {
  url: string;
}

export async function startGitServer(folder: string): Promise<GitServer> {
  const { stdout } = await promisify(execFile)("git", ["--exec-path"]);
  const backend = join(stdout.trim(), "git-http-backend");
  const server = createServer((request, response) => {
    void callBackend(backend, folder, request).then((answer) => {
      const end = answer.indexOf("\r\n\r\n");
      const head = answer.subarray(0, end).toString().split("\r\n");
      const headers = head.map((line) => line.split(/: (.*)/s).slice(0, 2));
      const { Status = "200", ...rest } = Object.fromEntries(
        headers as [string, string][],
      );
      response.writeHead(Number.parseInt(Status, 10), rest);
      response.end(answer.subarray(end + 4));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Runs git's own CGI program. */
async function callBackend(
  backend: string,
  folder: string,
  request: IncomingMessage,
): Promise<Buffer> {
  const { pathname, search } = new URL(request.url ?? "/", "http://host");
  const child = spawn(backend, {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: "ann",
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers["content-type"],
      CONTENT_LENGTH: request.headers["content-length"],
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
