// Browsers start no worker from file://. The search of the site asks for one: give it a hidden frame instead, which loads the
// same script and speaks by messages. Pages from a server keep their workers.
(function () {
  "use strict";

  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.waiting = []; // messages sent before the script is there
      window.addEventListener("message", (event) => {
        if (event.source !== this.frame.contentWindow) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      });
      const begin = () => {
        document.body.append(this.frame);
        const inside = this.frame.contentDocument;
        inside.open();
        inside.write(`<!doctype html><script>
          postMessage = (data) => parent.postMessage(data, "*");
          importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((done, failed) => {
            const script = document.createElement("script");
            script.src = url;
            script.onload = done;
            script.onerror = failed;
            document.body.append(script);
          })), Promise.resolve());
        <\/script><body><script src="${url}"><\/script></body>`);
        inside.close();
        const loaded = () => {
          for (const data of this.waiting) this.deliver(data);
          this.waiting = null;
        };
        if (inside.readyState === "complete") loaded();
        else this.frame.contentWindow.addEventListener("load", loaded);
      };
      if (document.body) begin();
      else document.addEventListener("DOMContentLoaded", begin);
    }

    deliver(data) {
      const inside = this.frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.deliver(data);
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.IFrameWorker = IFrameWorker;
  if (location.protocol === "file:") window.Worker = IFrameWorker;
})();
