import type { Answer } from "./api-client.ts";
import type { Change } from "./change.ts";

/** How the changes reach the daemon. */
export interface BrowserChangesHost {
  /** Makes something and gives what the operation answered. */
  made<Body = { id: string }>(path: string, body: object): Promise<Body>;
  post(path: string, body?: object): Promise<Answer>;
  put(path: string, body: object): Promise<Answer>;
  remove(path: string): Promise<Answer>;
  agent(): Promise<{ id: string }>;
}

const PAGE = { url: "https://example.com/", title: "Example" };
const ANNOTATION = {
  ...PAGE,
  selector: "h1",
  text: "Example",
  html: "<h1>Example</h1>",
  comment: "Larger",
  box: { x: 0, y: 0, width: 10, height: 10 },
};
const DOWNLOAD = { url: "https://example.com/a.zip", fileName: "a.zip" };
const PERMISSION = {
  origin: "https://example.com",
  kind: "geolocation",
  decision: "allow",
};

/** The operations of the browser's records that change something. */
export function createBrowserChanges(host: BrowserChangesHost): Change[] {
  const { made, post, put, remove, agent } = host;

  /** Adding one, removing one, and removing all of them. */
  function listChanges(path: string, event: string, body: object): Change[] {
    return [
      {
        operation: `POST ${path}`,
        event,
        prepare: async () => () => post(path, body),
      },
      {
        operation: `DELETE ${path}/{id}`,
        event,
        async prepare() {
          const { id } = await made(path, body);
          return () => remove(`${path}/${id}`);
        },
      },
    ];
  }
  const cleared = (path: string, event: string, body: object): Change => ({
    operation: `POST ${path}/clear`,
    event,
    async prepare() {
      await made(path, body);
      return () => post(`${path}/clear`);
    },
  });

  return [
    ...listChanges(
      "/api/browser/annotations",
      "browser.annotations-changed",
      ANNOTATION,
    ),
    ...listChanges(
      "/api/browser/downloads",
      "browser.downloads-changed",
      DOWNLOAD,
    ),
    ...listChanges("/api/browser/history", "browser.history-changed", PAGE),
    ...listChanges(
      "/api/browser/permissions",
      "browser.permissions-changed",
      PERMISSION,
    ),
    {
      operation: "POST /api/browser/downloads/status",
      event: "browser.downloads-changed",
      async prepare() {
        const { id } = await made("/api/browser/downloads", DOWNLOAD);
        return () =>
          post("/api/browser/downloads/status", { id, state: "completed" });
      },
    },
    {
      operation: "POST /api/browser/downloads/clear",
      event: "browser.downloads-changed",
      async prepare() {
        const { id } = await made("/api/browser/downloads", DOWNLOAD);
        // One that runs stays in the list.
        await made("/api/browser/downloads/status", { id, state: "completed" });
        return () => post("/api/browser/downloads/clear");
      },
    },
    cleared("/api/browser/history", "browser.history-changed", PAGE),
    {
      operation: "POST /api/browser/history/delete",
      event: "browser.history-changed",
      async prepare() {
        const { id } = await made("/api/browser/history", PAGE);
        return () => post("/api/browser/history/delete", { ids: [id] });
      },
    },
    cleared(
      "/api/browser/permissions",
      "browser.permissions-changed",
      PERMISSION,
    ),
    {
      operation: "POST /api/browser/permissions/prune",
      // None of today's is old enough, so nothing changes.
      event: null,
      prepare: async () => () =>
        post("/api/browser/permissions/prune", { days: 7 }),
    },
    {
      operation: "PUT /api/browser/policies/{agentId}",
      event: "browser.policies-changed",
      async prepare() {
        const { id } = await agent();
        return () =>
          put(`/api/browser/policies/${id}`, {
            tier: "act",
            sites: ["example.com"],
            ownServers: true,
          });
      },
    },
  ];
}
