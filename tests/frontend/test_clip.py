"""The paper's CLIP cosine, with a small model of random weights."""

import numpy as np
import pytest

from colbench_env.envs.frontend import FrontendEnv
from colbench_env.errors import Fault
from colbench_env.rewards.clip import ClipSimilarity
from colbench_env.rewards.page_similarity import Comparison

from .conftest import draw, reference

transformers = pytest.importorskip("transformers")
torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    """A CLIP of small configuration, saved as the real one is."""
    torch.manual_seed(0)
    vision = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    vision |= {"num_attention_heads": 4, "image_size": 224, "patch_size": 32, "projection_dim": 16}
    text = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "vocab_size": 64}
    text |= {"num_attention_heads": 2, "projection_dim": 16, "bos_token_id": 0, "eos_token_id": 1}
    config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=16)
    path = tmp_path_factory.mktemp("clip")
    transformers.CLIPModel(config).save_pretrained(path)
    transformers.CLIPImageProcessor().save_pretrained(path)
    return str(path)


def test_cosines(folder, blitz):
    pages = [draw(blitz, reference(name)) for name in ("cards/shop", "tables/departures")]
    scores = ClipSimilarity(folder).score([Comparison(a, b) for a in pages for b in pages])
    values = [score.value for score in scores]
    assert values[0] == values[3] == pytest.approx(1)
    assert values[1] == pytest.approx(values[2])
    assert values[1] < 0.9999
    for score in scores:
        assert score.components == {"cosine": pytest.approx(score.value)}
        assert {"model", "engine", "version", "font"} <= set(score.details)


def test_it_is_the_cosine_of_the_models_own_embeddings(folder, blitz):
    pages = [draw(blitz, reference(name)) for name in ("cards/shop", "forms/login")]
    model = transformers.CLIPModel.from_pretrained(folder).eval()
    processor = transformers.CLIPImageProcessor.from_pretrained(folder)
    inputs = processor(images=[np.array(p.pixels) for p in pages], return_tensors="pt")
    assert inputs["pixel_values"].shape == (2, 3, 224, 224)
    with torch.no_grad():
        pooled = model.vision_model(**inputs).pooler_output
        a, b = model.visual_projection(pooled)
    expected = float(torch.nn.functional.cosine_similarity(a, b, dim=0))
    [score] = ClipSimilarity(folder).score([Comparison(*pages)])
    assert score.components["cosine"] == pytest.approx(expected, abs=1e-5)


def test_no_page_scores_nothing_and_in_the_original_a_black_picture(folder, blitz):
    wanted = draw(blitz, reference("cards/shop"))
    nothing = [Comparison(wanted, None), Comparison(wanted, draw(blitz, "<div>" * 300))]
    assert [s.value for s in ClipSimilarity(folder).score(nothing)] == [0, 0]
    one, two = ClipSimilarity(folder, black=True).score(nothing)
    assert one.value == two.value > 0
    assert one.details["problem"] == "no page was shown"


def test_legacy_rules_compare_the_black_picture(folder):
    values = {}
    for rules in ("fixed", "legacy"):
        env = FrontendEnv(renderer="blitz", reward=f"clip:{folder}", rules=rules)
        env.reset(seed=0)
        values[rules] = env.step({"assistant_0": "I WANT TO ANSWER: no page"})[1]["assistant_0"]
    assert values["fixed"] == 0 < values["legacy"]


def test_weights_that_cannot_be_loaded_are_a_fault(blitz, tmp_path):
    wanted = draw(blitz, reference("cards/shop"))
    [answer] = ClipSimilarity(str(tmp_path)).score([Comparison(wanted, wanted)])
    assert isinstance(answer, Fault)
    assert not answer.retry


def test_an_episode_scored_by_clip(folder):
    env = FrontendEnv(renderer="blitz", reward=f"clip:{folder}")
    env.reset(seed=0)
    html = env.training_information()
    *_, infos = env.step({"assistant_0": f"I WANT TO ANSWER: {html}"})
    score = infos["assistant_0"]["score"]
    assert score.value == pytest.approx(1, abs=1e-4)
    assert score.details["reward"] == "clip"
