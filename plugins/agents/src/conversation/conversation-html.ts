import { Marked, type Tokens } from "marked";

/** Content security policy: the page loads and runs nothing, whatever the conversation contains. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
:root { color-scheme: light dark }
body { margin: 2rem auto; max-width: 48rem; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif }
h2 { border-top: 1px solid #8886; font-size: 1rem; margin-top: 2rem; padding-top: 1rem }
pre { background: #8881; border-radius: .4rem; overflow-x: auto; padding: .8rem }
code { font: .85em/1.5 ui-monospace, monospace }
blockquote { border-left: 3px solid #8886; margin-left: 0; opacity: .75; padding-left: 1rem }`;

/**
 * Renders Markdown parts, each a document of its own, as one HTML page that loads and runs nothing.
 */
export async function* toHtml(
  title: string,
  parts: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${escape(title)}</title>
<style>${STYLE}</style>
`;
  const renderer = createRenderer();
  for await (const part of parts) yield renderer.parse(part, { async: false });
  yield "</html>\n";
}

function createRenderer(): Marked {
  return new Marked({
    renderer: {
      // HTML in a message is shown as text, so that it cannot become a part of the page.
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escape(text),
      image: ({ text, href }: Tokens.Image) => escape(text || href),
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        return isWeb(href)
          ? `<a href="${escape(href)}" rel="noreferrer">${text}</a>`
          : text;
      },
    },
  });
}

function isWeb(href: string): boolean {
  return /^(https?|mailto):/i.test(href);
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
