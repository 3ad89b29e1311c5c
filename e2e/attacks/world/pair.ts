import { request } from "node:http";
import type { ApiClient } from "../../support/api-client.ts";
import type { Daemon } from "../../support/daemon.ts";

interface Pairing {
  id: string;
  code: string;
  url: string;
}

/** Makes a pairing code as a paired device does, and notes it as a secret. */
export async function createCode(
  api: ApiClient,
  secrets: Map<string, string>,
): Promise<Pairing & { link: string }> {
  const { status, body } = await api.call<Pairing>(
    "POST",
    "/api/auth/pairings",
    {},
  );
  if (status !== 200) throw new Error(`No pairing code: ${status}`);
  const link = body.url.split("#code=")[1] ?? "";
  secrets.set(`typed code ${body.id}`, body.code);
  secrets.set(`link code ${body.id}`, link);
  return { ...body, link };
}

/** Redeems a code as a page of ours does, whatever comes of it. */
export function redeem(
  { base, port }: Daemon,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string; cookie: string | undefined }> {
  const origin = `http://127.0.0.1:${port}`;
  return new Promise((resolve, reject) => {
    const message = request(
      new URL("/pair", base),
      {
        method: "POST",
        headers: { "content-type": "application/json", origin, ...headers },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.once("error", reject).once("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            body: text,
            cookie: response.headers["set-cookie"]?.[0],
          }),
        );
      },
    );
    message.once("error", reject).end(JSON.stringify(body));
  });
}

/** Pairs a browser and gives its Cookie header. */
export async function pairCookie(
  { daemon, api }: { daemon: Daemon; api: ApiClient },
  device: string,
  secrets: Map<string, string>,
): Promise<string> {
  const { link } = await createCode(api, secrets);
  const { status, cookie = "" } = await redeem(daemon, { code: link, device });
  if (status !== 200) throw new Error(`Not paired: ${status}`);
  const pair = cookie.split(";")[0] ?? "";
  secrets.set(`cookie of ${device}`, pair.split("=")[1] ?? "");
  return pair;
}
