import type { Answer } from "./api-client.ts";
import type { Change } from "./change.ts";

/** How the changes reach the daemon. */
interface BrowserChangesHost {
  /** Makes something and gives what the operation answered. */
  made(path: string, body: object): Promise<{ id: string }>;
  call(method: string, path: string, body?: object): Promise<Answer>;
  agent(): Promise<{ id: string }>;
}

const PATH = "/api/browser";
const PAGE = { url: "https://example.com/", title: "Example" };
const ANNOTATION = {
  ...{ ...PAGE, selector: "h1", comment: "Larger" },
  box: { x: 0, y: 0, width: 10, height: 10 },
};
const DOWNLOAD = { url: "https://example.com/a.zip", fileName: "a.zip" };
const PERMISSION = {
  ...{ origin: "https://example.com", kind: "camera", decision: "allow" },
};

/** What changes the records of browsers. */
export function createBrowserChanges(host: BrowserChangesHost): Change[] {
  const lists = [
    ["annotations", ANNOTATION],
    ["downloads", DOWNLOAD],
    ["history", PAGE],
    ["permissions", PERMISSION],
  ] as const;
  const endedDownload = async () => {
    const { id } = await host.made(`${PATH}/downloads`, DOWNLOAD);
    await host.made(`${PATH}/downloads/status`, { id, state: "completed" });
  };
  /** An operation on records of a list, after one was made. */
  const post = (
    path: string,
    event: string | null,
    make: () => Promise<unknown>,
    body: object = {},
  ): Change => ({
    operation: `POST ${PATH}${path}`,
    event,
    async prepare() {
      await make();
      return () => host.call("POST", PATH + path, body);
    },
  });
  const visit = () => host.made(`${PATH}/history`, PAGE);
  const permission = () => host.made(`${PATH}/permissions`, PERMISSION);

  return [
    ...lists.flatMap(([list, body]): Change[] => [
      post(`/${list}`, `browser.${list}-changed`, async () => {}, body),
      {
        operation: `DELETE ${PATH}/${list}/{id}`,
        event: `browser.${list}-changed`,
        async prepare() {
          const { id } = await host.made(`${PATH}/${list}`, body);
          return () => host.call("DELETE", `${PATH}/${list}/${id}`);
        },
      },
    ]),
    post("/downloads/clear", "browser.downloads-changed", endedDownload),
    {
      operation: `POST ${PATH}/downloads/status`,
      event: "browser.downloads-changed",
      async prepare() {
        const { id } = await host.made(`${PATH}/downloads`, DOWNLOAD);
        return () =>
          host.call("POST", `${PATH}/downloads/status`, {
            ...{ id, state: "completed" },
          });
      },
    },
    post("/history/clear", "browser.history-changed", visit),
    {
      operation: `POST ${PATH}/history/delete`,
      event: "browser.history-changed",
      async prepare() {
        const { id } = await visit();
        return () => host.call("POST", `${PATH}/history/delete`, { ids: [id] });
      },
    },
    post("/permissions/clear", "browser.permissions-changed", permission),
    // None of today's is old enough, so nothing changes.
    post("/permissions/prune", null, permission, { days: 7 }),
    {
      operation: `PUT ${PATH}/policies/{agentId}`,
      event: "browser.policies-changed",
      async prepare() {
        const { id } = await host.agent();
        const body = { tier: "act", sites: ["example.com"] };
        return () => host.call("PUT", `${PATH}/policies/${id}`, body);
      },
    },
    {
      // There may be many a second.
      operation: `POST ${PATH}/developer/audit`,
      event: null,
      async prepare() {
        const { id } = await host.agent();
        return () =>
          host.call("POST", `${PATH}/developer/audit`, {
            ...{ agentId: id, method: "Page.reload", verdict: "allowed" },
          });
      },
    },
  ];
}
