/** What one load of a page took. */
export interface PageLoad {
  requests: number;
  /** On the wire, with headers. What the browser had already took none. */
  bytes: number;
  bytesToFirstPaint: number;
  /** What was fetched: all but streams, which have no end. */
  urls: string[];
}

/** What is read of the events of the DevTools protocol; times are in seconds. */
export interface NetworkEvents {
  "Network.requestWillBeSent": { requestId: string; request: { url: string } };
  "Network.requestServedFromCache": { requestId: string };
  "Network.responseReceived": {
    requestId: string;
    timestamp: number;
    response: {
      encodedDataLength: number;
      mimeType: string;
      fromDiskCache?: boolean;
    };
  };
  "Network.dataReceived": {
    requestId: string;
    timestamp: number;
    encodedDataLength: number;
  };
  "Page.lifecycleEvent": { name: string; timestamp: number };
}

/** Takes the events that were named to it, one function an event. */
export type NetworkListeners = {
  readonly [Name in keyof NetworkEvents]: (event: NetworkEvents[Name]) => void;
};

/** Adds up what goes over the wire. */
export interface Traffic {
  readonly listeners: NetworkListeners;
  /** What was counted so far. */
  result(): PageLoad;
}

/**
 * Counts the network traffic that a browser reports.
 *
 * @param onNews Called for each request and each piece of an answer.
 */
export function countTraffic(onNews: () => void): Traffic {
  const received: { at: number; bytes: number }[] = [];
  const urls = new Map<string, string>();
  const cached = new Set<string>();
  let requests = 0;
  let firstPaint = Number.POSITIVE_INFINITY;
  const count = (requestId: string, at: number, bytes: number) => {
    // Chromium tells the length of a kept answer as if it had come again.
    if (urls.has(requestId) && !cached.has(requestId))
      received.push({ at, bytes });
  };
  const streams = new Set<string>();

  return {
    listeners: {
      "Network.requestWillBeSent"({ requestId, request }) {
        if (!request.url.startsWith("http")) return;
        requests++;
        urls.set(requestId, request.url);
        onNews();
      },
      "Network.requestServedFromCache"({ requestId }) {
        cached.add(requestId);
      },
      "Network.responseReceived"({ requestId, timestamp, response }) {
        if (response.fromDiskCache) cached.add(requestId);
        if (response.mimeType === "text/event-stream") streams.add(requestId);
        count(requestId, timestamp, response.encodedDataLength);
      },
      "Network.dataReceived"({ requestId, timestamp, encodedDataLength }) {
        count(requestId, timestamp, encodedDataLength);
        onNews();
      },
      "Page.lifecycleEvent"({ name, timestamp }) {
        if (name === "firstContentfulPaint")
          firstPaint = Math.min(firstPaint, timestamp);
      },
    },
    result() {
      const sum = (entries: typeof received) =>
        entries.reduce((total, { bytes }) => total + bytes, 0);
      return {
        requests,
        bytes: sum(received),
        bytesToFirstPaint: sum(received.filter(({ at }) => at <= firstPaint)),
        urls: [...urls].flatMap(([id, url]) => (streams.has(id) ? [] : url)),
      };
    },
  };
}
