import { defineComponent, h, shallowRef, type Component } from "vue";

const body = shallowRef<Component>();

/** Fetches what draws Markdown. A page that waits for it shows no text that changes its height when it is there. */
export async function loadMarkdown(): Promise<void> {
  body.value ??= (await import("./MarkdownBody.ts")).default;
}

/**
 * The body of a Markdown text. Its parser is not needed on most pages: it is fetched for the first text, which is shown
 * as it was written until then, and is there at once for all others.
 */
export default defineComponent({
  name: "LazyMarkdownBody",
  props: { source: { type: String, required: true }, level: Number },
  setup(props) {
    // Without it the text is shown as it was written.
    void loadMarkdown().catch(() => undefined);
    return () =>
      body.value
        ? h(body.value, props)
        : h("p", { class: "whitespace-pre-wrap" }, props.source);
  },
});
