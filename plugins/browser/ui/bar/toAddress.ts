/** The result of parsing the address bar: a URL, or why the text is not one. */
export type Address = { url: string } | { problem: string };

const EXAMPLE = "Enter an address, such as localhost:5173 or example.com.";
const LOCAL =
  /^(localhost|\[[\da-f:]+\]|\d+\.\d+\.\d+\.\d+|[\w-]+\.localhost)(:\d+)?([/?#]|$)/i;
const HOST = /^[^\s/?#:@]+\.[^\s/?#:@]+(:\d+)?([/?#]|$)/;
const NAME_AND_PORT = /^[\w-]+:\d+([/?#]|$)/;

/** Parses the text of the address bar. Text that is not an address is a problem; there is no search engine. */
export function toAddress(text: string): Address {
  const words = text.trim();
  if (words === "") return { problem: EXAMPLE };
  if (/^https?:\/\//i.test(words))
    return URL.canParse(words)
      ? { url: words }
      : { problem: "That address is not valid." };
  if (LOCAL.test(words) || NAME_AND_PORT.test(words))
    return { url: `http://${words}` };
  if (/^[a-z][a-z\d+.-]*:/i.test(words))
    return { problem: "Only pages of http and https can be opened." };
  if (HOST.test(words) && URL.canParse(`https://${words}`))
    return { url: `https://${words}` };
  return { problem: `${EXAMPLE} The work browser has no search engine.` };
}
