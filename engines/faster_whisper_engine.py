"""faster-whisper behind the engine protocol of the worker (engine_protocol.py).

"language" is one of the codes announced, or "auto"; an answer carries the language where it was detected.

All utterances that wait are decoded together, up to CURRAWONG_ENGINE_BATCH windows at a time. Where the memory does not
suffice for so many, half of them are tried, down to one; later, slowly, more again.
"""

import hashlib
import json
import os
import queue
import sys
import threading
from dataclasses import dataclass
from importlib.metadata import version
from typing import List, Optional

import whisper_packages  # noqa: F401  Before faster_whisper.

import numpy as np
from faster_whisper import WhisperModel

import cuda_device
from engine_protocol import utterances
from whisper_decoder import WINDOW_SECONDS, Decoder, Utterance

MODEL_FILES = ["model.bin", "config.json", "tokenizer.json"]
# In Whisper's vocabulary Javanese has a code that ISO 639 never had.
ISO_CODES = {"jw": "jv"}
WHISPER_CODES = {iso: code for code, iso in ISO_CODES.items()}
# So many full batches without trouble, and one more is tried.
BATCHES_BEFORE_GROWTH = 20


@dataclass
class Settings:
    folder: str
    device: str
    compute_type: str
    threads: int
    batch: int
    beam_size: int
    temperatures: List[float]
    log_prob_threshold: Optional[float]
    no_speech_threshold: Optional[float]
    compression_ratio_threshold: Optional[float]
    voice_activity: bool


def settings_from(environment):
    """@raise ValueError, one sentence, for a setting that is not one"""

    def number(name, default, kind=float):
        text = environment.get(name) or default
        try:
            return None if text == "off" else kind(text)
        except ValueError:
            raise ValueError(f"{name} is {text!r}: a number is expected.") from None

    temperatures = environment.get("WHISPER_TEMPERATURES") or "0,0.2,0.4,0.6,0.8,1"
    try:
        temperatures = [float(part) for part in temperatures.split(",")]
    except ValueError:
        raise ValueError(f"WHISPER_TEMPERATURES is {temperatures!r}: numbers with commas between are expected.") from None
    return Settings(
        folder=environment.get("WHISPER_MODEL_FOLDER", ""),
        device=environment.get("WHISPER_DEVICE") or "auto",
        compute_type=environment.get("WHISPER_COMPUTE_TYPE") or "auto",
        threads=number("CURRAWONG_ENGINE_THREADS", "0", int) or cpu_threads(),
        batch=number("CURRAWONG_ENGINE_BATCH", "0", int),
        beam_size=number("WHISPER_BEAM_SIZE", "5", int),
        temperatures=temperatures,
        log_prob_threshold=number("WHISPER_LOG_PROB_THRESHOLD", "-1"),
        no_speech_threshold=number("WHISPER_NO_SPEECH_THRESHOLD", "0.6"),
        compression_ratio_threshold=number("WHISPER_COMPRESSION_RATIO_THRESHOLD", "2.4"),
        voice_activity=environment.get("WHISPER_VOICE_ACTIVITY") != "off",
    )


def cpu_threads():
    """The processors that this process may use, eight at most: more make one model hardly faster."""
    available = len(os.sched_getaffinity(0))
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as limit:
            quota, period = limit.read().split()
        available = min(available, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        # Another kind of control groups, or no limit ("max").
        pass
    return min(available, 8)


class BatchSize:
    """How many windows are decoded at a time: halved when memory runs out, one more after many that went well."""

    def __init__(self, limit):
        self.limit = limit
        self.now = limit
        self.went_well = 0

    def halve(self, tried):
        """After `tried` windows at a time were too many. @return False when it was one already"""
        self.went_well = 0
        if tried <= 1:
            return False
        self.now = max(1, tried // 2)
        return True

    def note(self, decoded):
        """After so many windows at a time went well."""
        if self.now == self.limit or decoded < self.now:
            return
        self.went_well += 1
        if self.went_well >= BATCHES_BEFORE_GROWTH:
            self.now, self.went_well = self.now + 1, 0


class Engine:
    def __init__(self, decoder, batch):
        self.decoder = decoder
        self.size = BatchSize(batch)

    def answers(self, requests):
        """@param requests [(header, pcm)] @return the answers, in the same order"""
        utterances, windows, failures = {}, [], {}
        for header, pcm in requests:
            try:
                utterances[header["id"]] = self.utterance(header, pcm)
                windows.extend(self.decoder.windows(utterances[header["id"]]))
            # Whatever is wrong with one utterance, the others are heard.
            except Exception as error:
                failures[header["id"]] = error
        # A batch has prompts of one length; utterances of one recording have the same prompt anyway.
        for length in dict.fromkeys(len(window.utterance.prompt) for window in windows):
            self.hear([window for window in windows if len(window.utterance.prompt) == length], failures)
        return [self.answer(header["id"], utterances, failures) for header, _ in requests]

    def hear(self, windows, failures):
        at = 0
        while at < len(windows):
            part = windows[at : at + self.size.now]
            try:
                self.decoder.hear(part)
                self.size.note(len(part))
            # ctranslate2 fails with RuntimeError, a tokenizer of an unknown language with ValueError.
            except Exception as error:
                if is_out_of_memory(error) and self.size.halve(len(part)):
                    print(f"Out of memory with {len(part)} windows: {self.size.now} at a time from now on.", file=sys.stderr)
                    continue
                if len(part) > 1:
                    # Whichever of them it was: the others are heard.
                    for window in part:
                        self.hear([window], failures)
                else:
                    failures[part[0].utterance.id] = error
            at += len(part)

    def utterance(self, header, pcm):
        language = header.get("language") or "auto"
        return Utterance(
            id=header["id"],
            samples=np.frombuffer(pcm, "<i2").astype(np.float32) / 32768,
            language=None if language == "auto" else WHISPER_CODES.get(language, language),
            prompt=self.decoder.prompt_tokens(header.get("prompt")),
        )

    def answer(self, number, utterances, failures):
        error = failures.get(number)
        if error is not None:
            if is_out_of_memory(error):
                error = "The memory does not suffice for a single window: use a smaller model or another compute type."
            elif not isinstance(error, RuntimeError):
                error = f"{type(error).__name__}: {error}"
            return {"id": number, "error": str(error)}
        utterance = utterances[number]
        answer = {"id": number, "words": utterance.words}
        if utterance.detected:
            answer["language"] = ISO_CODES.get(utterance.language, utterance.language)
        return answer


def is_out_of_memory(error):
    return isinstance(error, MemoryError) or "out of memory" in str(error).lower()


def load(settings):
    """The model. @raise ValueError, one sentence, where it cannot be loaded"""
    for name in MODEL_FILES:
        if not os.path.isfile(os.path.join(settings.folder, name)):
            raise ValueError(f"There is no {name} in {settings.folder or 'WHISPER_MODEL_FOLDER'}: a model is incomplete.")
    device, compute_type = cuda_device.choose(settings.device, settings.compute_type, settings.folder)
    try:
        return WhisperModel(
            settings.folder,
            device=device,
            compute_type=compute_type,
            cpu_threads=settings.threads,
            local_files_only=True,
        )
    except (RuntimeError, ValueError, MemoryError) as error:
        if is_out_of_memory(error):
            raise ValueError(f"The model in {settings.folder} does not fit into the memory of this machine.") from error
        raise ValueError(f"The model in {settings.folder} cannot be loaded: {error}") from error


def model_name(folder):
    """Which weights, exactly: the folder's name and the beginning of the digest of model.bin."""
    digest = hashlib.sha256()
    with open(os.path.join(folder, "model.bin"), "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return f"{os.path.basename(os.path.abspath(folder))}@{digest.hexdigest()[:12]}"


def read_into(waiting, stream):
    """Puts (header, pcm) into the queue until the input ends, then None."""
    for request in utterances(stream):
        waiting.put(request)
    waiting.put(None)


def batches(waiting, size):
    """Yields lists of all that waits, up to `size` of them, until None comes."""
    while True:
        batch = [waiting.get()]
        while len(batch) < size and batch[-1] is not None:
            try:
                batch.append(waiting.get_nowait())
            except queue.Empty:
                break
        ended = batch[-1] is None
        if ended:
            batch.pop()
        if batch:
            yield batch
        if ended:
            return


def main():
    # Native code that prints must not end up between our lines: it gets standard error instead.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(message):
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    try:
        settings = settings_from(os.environ)
        model = load(settings)
    except ValueError as error:
        sys.exit(str(error))
    # A processor gains nothing from batches; a GPU is idle without them.
    batch = settings.batch or (8 if model.model.device == "cuda" else 1)
    decoder = Decoder(model, settings)
    codes = [code for code in model.supported_languages if is_known(model, code)]
    answer(
        {
            "ready": True,
            "name": "faster-whisper",
            "version": f"{version('faster-whisper')} ctranslate2 {version('ctranslate2')} {model.model.compute_type}",
            "model": model_name(settings.folder),
            "languages": sorted(ISO_CODES.get(code, code) for code in codes),
            "detectsLanguage": model.model.is_multilingual,
            "batch": batch,
            "windowSeconds": WINDOW_SECONDS,
        }
    )
    engine = Engine(decoder, batch)
    waiting = queue.Queue()
    threading.Thread(target=read_into, args=(waiting, sys.stdin.buffer), daemon=True).start()
    for requests in batches(waiting, batch):
        for message in engine.answers(requests):
            answer(message)


def is_known(model, code):
    """The hundredth language came with large-v3."""
    return not model.model.is_multilingual or model.hf_tokenizer.token_to_id(f"<|{code}|>") is not None


if __name__ == "__main__":
    main()
