import type { BrowserMessage } from "../../../src/contract.ts";
import type { GuardedBrowser } from "../../../src/tools/tools-host.ts";

type Params = Record<string, unknown>;

/** A simulated browser with one tab, whose page is a heading. */
export interface StandInBrowser extends GuardedBrowser {
  /** Called methods with their parameters. */
  calls: { method: string; params: Params }[];
  /** Answers by method, replacing the defaults; a promise delays the answer. */
  answers: Map<string, (params: Params) => object | Promise<object>>;
  /** How many callers hold it. */
  held: number;
  /** Sends an event to every connection. */
  emit(event: BrowserMessage): void;
  end(): void;
}

const TAB = { targetId: "T1", type: "page", url: "about:blank", title: "" };
const SESSION = "S1";

/** @param title Title of its page. */
export function createStandInBrowser(title = "Orders"): StandInBrowser {
  const connections = new Set<(message: BrowserMessage) => void>();
  const ended = Promise.withResolvers<void>();
  let url = "https://shop.example/";
  const usual: Record<string, (params: Params) => object> = {
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
    "Accessibility.getFullAXTree": () => ({ nodes: toNodes(title) }),
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
        post: (message) => void answer(message as BrowserMessage, send),
      };
    },
  };

  async function answer(
    { id = 0, method = "", params = {}, sessionId }: BrowserMessage,
    send: (message: BrowserMessage) => void,
  ): Promise<void> {
    browser.calls.push({ method, params });
    if (method === "Target.setAutoAttach" && sessionId === undefined)
      send({
        method: "Target.attachedToTarget",
        params: { sessionId: SESSION, targetInfo: TAB },
      });
    try {
      const given = browser.answers.get(method) ?? usual[method];
      send({ id, result: { ...(await given?.(params)) } });
    } catch (error) {
      const { message } = error as Error;
      send({ id, error: { code: -32_000, message } });
    }
  }

  return browser;
}

function toNodes(title: string): object[] {
  return [
    {
      ...{ nodeId: "1", ignored: false, role: { value: "RootWebArea" } },
      childIds: ["2"],
    },
    {
      ...{ nodeId: "2", ignored: false, role: { value: "heading" } },
      ...{ name: { value: title }, backendDOMNodeId: 7 },
    },
  ];
}
