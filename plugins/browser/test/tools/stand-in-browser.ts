import type { GuardMessage } from "../../src/tools/guard-client.ts";
import type { GuardedBrowser } from "../../src/tools/tools-host.ts";

/** A simulated browser with one tab, whose page is a heading. */
export interface StandInBrowser extends GuardedBrowser {
  /** Called methods with their parameters. */
  calls: { method: string; params: Record<string, unknown> }[];
  /** Answers by method, replacing the defaults; a promise delays the answer. */
  answers: Map<
    string,
    (params: Record<string, unknown>) => object | Promise<object>
  >;
  /** How many callers hold it. */
  held: number;
  /** Sends an event to every connection. */
  emit(event: GuardMessage): void;
  end(): void;
}

const TAB = { targetId: "T1", type: "page", url: "about:blank", title: "" };
const SESSION = "S1";

/** @param title Title of its page. */
export function createStandInBrowser(title = "Orders"): StandInBrowser {
  const connections = new Set<(message: GuardMessage) => void>();
  const ended = Promise.withResolvers<void>();
  let url = "https://shop.example/";
  const attached = {
    method: "Target.attachedToTarget",
    params: { sessionId: SESSION, targetInfo: TAB },
  };
  const usual: Record<string, (params: Record<string, unknown>) => object> = {
    "Page.navigate": (params) => {
      url = String(params["url"]);
      return {};
    },
    "Page.getNavigationHistory": () => ({
      currentIndex: 0,
      entries: [{ id: 1, url, title }],
    }),
    "Performance.getMetrics": () => ({
      metrics: [{ name: "Nodes", value: 10 }],
    }),
    "Page.getLayoutMetrics": () => ({
      cssContentSize: { width: 1280, height: 800 },
      cssVisualViewport: { pageX: 0, pageY: 0 },
    }),
    "Accessibility.getFullAXTree": () => ({
      nodes: [
        {
          nodeId: "1",
          ignored: false,
          role: { value: "RootWebArea" },
          childIds: ["2"],
        },
        {
          nodeId: "2",
          ignored: false,
          role: { value: "heading" },
          name: { value: title },
          backendDOMNodeId: 7,
        },
      ],
    }),
  };
  const browser: StandInBrowser = {
    calls: [],
    answers: new Map(),
    held: 0,
    ended: ended.promise,
    hold() {
      browser.held += 1;
      return () => void (browser.held -= 1);
    },
    end: () => ended.resolve(),
    emit: (event) => connections.forEach((send) => send(event)),
    connect(send) {
      connections.add(send);
      return {
        close: () => void connections.delete(send),
        post: ({ id, method = "", params = {}, sessionId }) => {
          browser.calls.push({ method, params });
          const isFirst =
            method === "Target.setAutoAttach" && sessionId === undefined;
          if (isFirst) send(attached);
          const answer = browser.answers.get(method) ?? usual[method];
          Promise.resolve(answer?.(params) ?? {}).then(
            (result) => send({ id: id ?? 0, result: { ...result } }),
            (error: Error) =>
              send({
                id: id ?? 0,
                error: { code: -32000, message: error.message },
              }),
          );
        },
      };
    },
  };
  return browser;
}
