import type { DriverEvent } from "@gantry/agent-kit";
import type { AgentJournal } from "./agent-journal.ts";
import type { Turn } from "./turn.ts";

/** Events that add content to a turn. */
export type GrowingEvent = Extract<
  DriverEvent,
  {
    type:
      | "delta"
      | "message"
      | "tool-started"
      | "tool-progress"
      | "tool-output"
      | "tool-ended";
  }
>;

/** Adds the content of an event to a turn: publishes it to viewers, and stores what is complete as an entry. */
export async function growTurn(
  turn: Turn,
  event: GrowingEvent,
  journal: AgentJournal,
): Promise<void> {
  switch (event.type) {
    case "delta": {
      const { channel: kind, text } = event;
      const entryId = turn.grow(kind, text);
      return journal.publish("delta", { entryId, kind, text });
    }
    case "message":
      return void (await journal.append([
        turn.complete(event.channel, event.text),
      ]));
    case "tool-started":
      return journal.publish("tool", turn.beginTool(event));
    case "tool-progress": {
      const more = turn.growTool(event.callId, event.output);
      return more && journal.publish("tool-output", more);
    }
    case "tool-output": {
      const more = turn.appendTool(event.callId, event.text);
      return more && journal.publish("tool-output", more);
    }
    case "tool-ended": {
      const entry = turn.endTool(event.callId, event.failed, event.output);
      return entry && void (await journal.append([entry]));
    }
  }
}
