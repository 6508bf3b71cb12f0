"use strict";

{
  const report = JSON.parse(document.getElementById("report").textContent);
  const model = readModel(report.figures);
  showFigures(report, model);
  const timeline = new Timeline(model);
  new LoadMap(model);
  new SendMatrix(report.figures);
  new DurationChart(report.figures);
  const found = figuresFound(model);
  found.ready_ms = performance.now();
  const began = performance.now();
  timeline.draw();
  found.draw_ms = performance.now() - began;
  put("found", JSON.stringify(found));
}
