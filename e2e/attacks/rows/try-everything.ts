/** What came of an attempt of a page. */
export interface Attempt {
  name: string;
  /** `blocked` where the page learned nothing, else what it learned. */
  outcome: string;
}

/** Runs in a page of an attacker: everything that a script can try on another origin. */
export async function tryEverything({
  origin,
  agentId,
}: {
  origin: string;
  agentId: string;
}): Promise<Attempt[]> {
  const close = `${origin}/api/agents/${agentId}/close`;
  const attempts: Attempt[] = [];
  const attempt = async (name: string, work: () => Promise<string>) => {
    const outcome = await work().catch(() => "blocked");
    attempts.push({ name, outcome });
  };
  const fetched = (url: string, init: RequestInit) => async () => {
    const response = await fetch(url, { credentials: "include", ...init });
    // An answer without a body or a status tells a page nothing.
    return response.type === "opaque" ? "blocked" : await response.text();
  };
  const json = { "content-type": "application/json" };
  await attempt("read", fetched(`${origin}/api/agents`, {}));
  await attempt(
    "read, opaque",
    fetched(`${origin}/api/agents`, { mode: "no-cors" }),
  );
  await attempt(
    "simple post",
    fetched(close, { method: "POST", mode: "no-cors", body: "{}" }),
  );
  await attempt(
    "empty post",
    fetched(close, { method: "POST", mode: "no-cors" }),
  );
  await attempt(
    "json post",
    fetched(close, { method: "POST", headers: json, body: "{}" }),
  );
  await attempt(
    "delete",
    fetched(`${origin}/api/agents/${agentId}`, { method: "DELETE" }),
  );
  await attempt(
    "pair",
    fetched(`${origin}/pair`, { method: "POST", mode: "no-cors", body: "{}" }),
  );
  await attempt(
    "keepalive",
    fetched(close, {
      method: "POST",
      mode: "no-cors",
      keepalive: true,
      body: "{}",
    }),
  );
  navigator.sendBeacon(close, "{}");

  const element =
    (tag: "img" | "script" | "link" | "iframe", url: string) => () =>
      new Promise<string>((resolve) => {
        const made = document.createElement(tag);
        if (made instanceof HTMLLinkElement) {
          made.rel = "stylesheet";
          made.href = url;
        } else made.src = url;
        made.onload = () =>
          resolve(made instanceof HTMLIFrameElement ? "blocked" : "loaded");
        made.onerror = () => resolve("blocked");
        document.body.append(made);
      });
  for (const tag of ["img", "script", "link", "iframe"] as const)
    await attempt(tag, element(tag, `${origin}/api/agents`));

  await attempt(
    "form",
    () =>
      new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.name = "into";
        const form = document.createElement("form");
        Object.assign(form, { method: "post", action: close, target: "into" });
        document.body.append(frame, form);
        frame.onload = () => resolve("blocked");
        form.submit();
      }),
  );
  const url = origin.replace("http", "ws");
  await attempt(
    "socket",
    () =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${url}/api/target/echo`);
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("blocked");
      }),
  );
  await attempt(
    "events",
    () =>
      new Promise((resolve) => {
        const source = new EventSource(`${origin}/api/events`, {
          withCredentials: true,
        });
        source.onopen = () => resolve("open");
        source.onerror = () => {
          source.close();
          resolve("blocked");
        };
      }),
  );
  return attempts;
}
