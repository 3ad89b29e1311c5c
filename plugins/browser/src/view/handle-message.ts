import type { LiveTab } from "./live-tab.ts";
import type { ViewerMessage } from "./view-messages.ts";
import type { Viewer } from "./viewers.ts";

/** Messages that are user input for the page. */
const INPUT_TYPES: ReadonlySet<ViewerMessage["type"]> = new Set([
  "mouse",
  "touch",
  "key",
  "text",
  "compose",
] as const);

/** Handles a viewer's message. Never throws: later failures are logged by the tab. */
export function handleMessage(
  live: LiveTab,
  viewer: Viewer,
  message: ViewerMessage,
  giveFiles: (uploads: readonly string[]) => Promise<void>,
): void {
  if (INPUT_TYPES.has(message.type)) {
    live.driver.noteUser();
    live.screencast.noteInput();
  }
  switch (message.type) {
    case "size":
      viewer.size = message;
      return live.applySize();
    case "mouse":
      return live.gate.run(() => live.input.mouse(message));
    case "touch":
      return live.gate.run(() => live.input.touch(message));
    case "key":
      return live.gate.run(() => live.input.key(message));
    case "text":
      return live.gate.run(() => live.input.text(message.text));
    case "compose":
      return live.gate.run(() => live.input.compose(message.text));
    case "navigate":
      return live.navigation.open(message.url);
    case "back":
    case "forward":
      return live.attempt(
        live.navigation.step(message.type === "back" ? -1 : 1),
      );
    case "reload":
      return live.navigation.reload();
    case "stop":
      return live.navigation.stop();
    case "zoom":
      return live.attempt(live.screencast.zoom(message.percent));
    case "shown":
      return viewer.shown(message.frame);
    case "dialog":
      return live.dialogs.answer(message.accept, message.text);
    case "permission":
      return live.permissions.answer(message.id, message.answer);
    case "files":
      return live.attempt(giveFiles(message.uploads));
    case "pick":
      return live.attempt(live.pick(viewer, message));
    case "find":
      return live.attempt(
        live
          .find(message.text, message.backwards)
          .then((count) => viewer.port.send({ type: "find", count })),
      );
    case "copy":
      return live.attempt(
        live.copy().then((text) => viewer.port.send({ type: "copied", text })),
      );
  }
}
