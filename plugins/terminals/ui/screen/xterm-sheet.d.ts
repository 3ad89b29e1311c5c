declare module "@xterm/xterm/css/xterm.css";
