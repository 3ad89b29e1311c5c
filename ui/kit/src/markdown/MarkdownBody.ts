import { Marked } from "marked";
import { defineComponent, h, withMemo, type VNode } from "vue";
import { renderToken } from "./renderTokens.ts";

/** Renders Markdown. Blocks that did not change are left alone, so that a text can grow while it is read and selected. */
export default defineComponent({
  name: "MarkdownBody",
  props: { source: { type: String, required: true } },
  setup(props) {
    const parser = new Marked({ gfm: true, breaks: false });
    const cache: VNode[] = [];
    return () => {
      const tokens = parser.lexer(props.source);
      // A definition further down changes what a link further up means.
      const definitions = Object.keys(tokens.links).length;
      cache.length = Math.min(cache.length, tokens.length);
      return tokens.map((token, index) =>
        withMemo(
          [token.type, token.raw, definitions],
          () =>
            h("div", { key: index, class: "kit-block" }, [renderToken(token)]),
          cache,
          index,
        ),
      );
    };
  },
});
