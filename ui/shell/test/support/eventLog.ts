import type { ServerResponse } from "node:http";

/** The stand-in's event log and its open streams. */
export function createEventLog() {
  const clients = new Set<ServerResponse>();
  const log: { id: number; type: string; text: string }[] = [];
  let bootId = "boot-1";

  return {
    /** How many streams are open. */
    get count() {
      return clients.size;
    },
    open(response: ServerResponse, url: URL): void {
      response.setHeader("content-type", "text/event-stream");
      response.write(
        `event: hello\ndata: ${JSON.stringify({ bootId, latest: log.length })}\n\n`,
      );
      const after = url.searchParams.get("after");
      if (after !== null)
        for (const event of log.slice(Number(after)))
          response.write(event.text);
      clients.add(response);
      response.on("close", () => clients.delete(response));
    },
    emit(
      type: string,
      subject: string,
      data: unknown,
      plugin = "kernel",
    ): void {
      const id = log.length + 1;
      const record = {
        id,
        at: new Date().toISOString(),
        type,
        plugin,
        subject,
        data,
      };
      const text = `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(record)}\n\n`;
      log.push({ id, type, text });
      for (const client of clients) client.write(text);
    },
    /** Ends all streams, as a restart does. */
    closeAll(restart = false): void {
      if (restart) bootId = `${bootId}+`;
      for (const client of clients) client.end();
      clients.clear();
    },
  };
}
