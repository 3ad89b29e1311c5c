import { isGantryError } from "@gantry/plugin";
import type {
  AgentMessages,
  PromptImage,
} from "@gantry/plugin-agents/contract";
import { errors } from "../errors.ts";
import type { Annotations } from "../records/annotations.ts";
import type { Picture } from "../records/screenshots.ts";
import type { Annotation } from "../records/schemas.ts";
import { fencePageText, FENCE_EXPLANATION, toSeenText } from "./page-fence.ts";

/** Annotations in one message. */
export const MAX_ANNOTATIONS_SENT = 20;
export const MAX_NOTE_LENGTH = 4000;
/** Pictures in one message; agent CLIs accept few more. */
const MAX_PICTURES = 4;
const MAX_TEXT_LENGTH = 2000;
const MAX_HTML_LENGTH = 4000;
const MAX_SHOWN_STYLES = 24;

/** Dependencies of {@link createAnnotationSender}. */
export interface SenderHost {
  annotations: Annotations;
  messages(): AgentMessages | undefined;
  /** Aborts when the plugin stops. A client that disconnects does not cancel the message. */
  signal: AbortSignal;
}

/** How the agent received the message. */
export interface Sent {
  taskId: string;
  delivery: "sent" | "queued";
}

/**
 * Creates a function that sends annotations to an agent as one message, with pictures if its CLI supports them.
 *
 * @throws `BROWSER_ANNOTATION_NOT_FOUND`, `BROWSER_AGENT_NOT_FOUND`, `BROWSER_AGENTS_MISSING`, and the errors of the
 * agents plugin
 */
export function createAnnotationSender(host: SenderHost) {
  return async function send(input: {
    ids: readonly string[];
    agentId: string;
    note: string;
  }): Promise<Sent> {
    const { agentId, note } = input;
    const { annotations, signal } = host;
    const messages = await findAgent(host, agentId);
    const found: Annotation[] = [];
    const images: PromptImage[] = [];
    for (const id of new Set(input.ids)) {
      const annotation = await annotations.get(id);
      if (!annotation) throw errors.BROWSER_ANNOTATION_NOT_FOUND({ id });
      found.push(annotation);
      const picture =
        images.length < MAX_PICTURES && annotation.screenshot !== null
          ? await annotations.readScreenshot(id)
          : undefined;
      if (picture) images.push(toImage(picture));
    }
    const prompt = (pictures: readonly PromptImage[]) =>
      messages.prompt(
        {
          agentId,
          message: writeMessage(found, note, pictures.length),
          images: pictures,
          kind: "prompt",
          source: "browser",
        },
        signal,
      );
    const sent = await prompt(images).catch((error: unknown) => {
      // Not every CLI supports pictures; the text is enough to find the element.
      const isRefused = isGantryError(error) && error.status === 501;
      if (images.length === 0 || !isRefused) throw error;
      return prompt([]);
    });
    for (const { id } of found) await annotations.markSent(id, agentId);
    return sent;
  };
}
export type SendAnnotations = ReturnType<typeof createAnnotationSender>;

/**
 * Finds an agent and the service that talks to it.
 *
 * @throws `BROWSER_AGENTS_MISSING` (503), `BROWSER_AGENT_NOT_FOUND` (404)
 */
export async function findAgent(
  host: Pick<SenderHost, "messages" | "signal">,
  agentId: string,
): Promise<AgentMessages> {
  const messages = host.messages();
  if (!messages) throw errors.BROWSER_AGENTS_MISSING();
  if (!(await messages.describe({ agentId }, host.signal)))
    throw errors.BROWSER_AGENT_NOT_FOUND({ id: agentId });
  return messages;
}

function toImage({ mediaType, bytes }: Picture): PromptImage {
  return { mimeType: mediaType, data: Buffer.from(bytes).toString("base64") };
}

/** The user's text is outside the marks; everything that the page may have written is inside. */
function writeMessage(
  annotations: readonly Annotation[],
  note: string,
  pictures: number,
): string {
  const many = annotations.length > 1;
  const head = [
    note.trim(),
    many
      ? `${annotations.length} comments on elements of web pages. ${FENCE_EXPLANATION}`
      : `A comment on an element of a web page. ${FENCE_EXPLANATION}`,
    pictures > 0
      ? `${pictures === 1 ? "A picture of it is" : `${pictures} pictures are`} attached.`
      : "",
  ].filter((line) => line !== "");
  const parts = annotations.map((one, index) =>
    writeAnnotation(one, many ? index + 1 : undefined),
  );
  return [head.join("\n\n"), ...parts].join("\n\n");
}

function writeAnnotation(
  annotation: Annotation,
  number: number | undefined,
): string {
  const { comment, box } = annotation;
  const { x, y, width, height } = box;
  const place = [x, y, width, height].map((value) => Math.round(value));
  const fields = [
    ["Page", `${annotation.title} ${annotation.url}`],
    ["Selector", annotation.selector],
    ["Box", `${place[2]} x ${place[3]} at ${place[0]}, ${place[1]}`],
    ["Text", annotation.text.slice(0, MAX_TEXT_LENGTH)],
    ["Styles", writeStyles(annotation)],
    ["HTML", annotation.html.slice(0, MAX_HTML_LENGTH)],
  ].filter(([, value]) => value !== "");
  const page = fields.map(([name, value]) => `${name}: ${value}`).join("\n");
  const title = number === undefined ? "Comment" : `Comment ${number}`;
  return `${title}: ${comment.trim() || "(none)"}\n${fencePageText(toSeenText(page))}`;
}

function writeStyles({ styles }: Annotation): string {
  return styles
    .slice(0, MAX_SHOWN_STYLES)
    .map(({ name, value }) => `${name}: ${value};`)
    .join(" ");
}
