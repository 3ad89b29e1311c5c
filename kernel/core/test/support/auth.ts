import type { TestAnswer, TestKernel } from "../../../testing/src/index.ts";

/** A paired device as the API shows it. */
export interface SessionView {
  id: string;
  kind: "browser" | "token";
  device: string;
  address: string;
  createdAt: string | null;
  lastSeenAt: string | null;
  expiresAt: string | null;
  current: boolean;
  online: boolean;
}

interface PairAnswer {
  ok: true;
  session: SessionView;
  code?: string;
}

/** Redeems a code as a page of ours does. */
export function redeem(
  kernel: TestKernel,
  code: string,
  { device = "Phone", ...headers }: Record<string, string> = {},
): Promise<TestAnswer<PairAnswer>> {
  return kernel.stranger.post<PairAnswer>(
    "/pair",
    { code, device },
    { origin: kernel.url, ...headers },
  );
}

/** The cookie that an answer sets, as a browser would send it back. */
export function cookieOf({ headers }: TestAnswer): string {
  return (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

/** Asks who is calling, with a cookie or other headers. */
export function whoAmI(kernel: TestKernel, headers: Record<string, string>) {
  return kernel.stranger.request<{
    mode: string;
    kind: string;
    session: SessionView;
  }>("GET", "/api/auth/session", { headers });
}

/** A refusal without what differs each time: its id and its date. */
export const comparable = ({ status, headers, body }: TestAnswer) => ({
  status,
  body,
  headers: [...headers].filter(
    ([name]) => name !== "x-request-id" && name !== "date",
  ),
});

/** The secret behind a link. */
export const linkOf = ({ url }: { url: string }) =>
  new URL(url).hash.replace("#code=", "");
