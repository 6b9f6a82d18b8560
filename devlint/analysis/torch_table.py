"""What torch's functions and methods do to placement, as tables.

Source of the facts: the documentation of each function at https://docs.pytorch.org/docs/stable/, checked against
`FakeTensorMode` by tests/test_torch_table.py.
"""

from __future__ import annotations

FACTORIES = frozenset(
    """zeros ones empty full rand randn randint randperm arange range linspace logspace eye empty_strided
    tril_indices triu_indices hann_window hamming_window bartlett_window blackman_window kaiser_window
    sparse_coo_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor
    sparse_compressed_tensor scalar_tensor""".split()
)
"""Make a tensor on the default device unless `device=` says otherwise."""

RANDOM_FACTORIES = frozenset("rand randn randint randperm".split())
"""Factories whose numbers depend on the device: a fix moves their result instead of passing `device=`."""

DATA_FACTORIES = frozenset("tensor as_tensor asarray from_numpy frombuffer".split())
"""Make a tensor from lists, numbers or arrays. `as_tensor` and `asarray` keep the device of a tensor argument."""

LEGACY_TENSORS = frozenset(
    """Tensor FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor
    ByteTensor BoolTensor""".split()
)
"""Constructors that always make a host tensor."""

LIKE = frozenset("zeros_like ones_like empty_like full_like rand_like randn_like randint_like".split())
"""Follow their first argument unless `device=` says otherwise."""

NEW = frozenset("new new_tensor new_zeros new_ones new_full new_empty new_empty_strided".split())
"""Tensor methods that follow the tensor they are called on."""

PLACEMENT_KEEPING_QUERIES = frozenset(
    """size dim ndimension numel nelement element_size stride storage_offset is_contiguous is_floating_point
    is_complex item tolist get_device data_ptr type shape ndim dtype layout requires_grad is_leaf names
    itemsize nbytes is_sparse is_pinned is_shared storage untyped_storage __len__""".split()
)
"""Methods and attributes of a tensor whose result lives on no device."""

NOT_TENSORS = frozenset(
    """manual_seed seed initial_seed set_grad_enabled no_grad enable_grad inference_mode is_tensor is_grad_enabled
    set_default_dtype get_default_dtype finfo iinfo set_num_threads get_num_threads save typename compile
    set_printoptions numel is_floating_point is_complex Size use_deterministic_algorithms is_storage
    set_float32_matmul_precision""".split()
)
"""Functions of the `torch` namespace whose result is no tensor."""

ZERO_DIM_REDUCTIONS = frozenset(
    """sum mean prod norm std var max min median any all logsumexp argmax argmin nanmean nansum amax amin dist
    trace""".split()
)
"""Without a dimension these give a 0-dim tensor."""

INTEGER_RESULTS = frozenset(
    "argmax argmin argsort eq ne lt le gt ge long int bool isnan isinf nonzero logical_not".split()
)
"""Methods whose result carries no gradient."""

LOSSES = frozenset(
    """CrossEntropyLoss NLLLoss MSELoss L1Loss BCELoss BCEWithLogitsLoss SmoothL1Loss HuberLoss KLDivLoss
    PoissonNLLLoss GaussianNLLLoss CTCLoss HingeEmbeddingLoss MultiMarginLoss MultiLabelMarginLoss
    MultiLabelSoftMarginLoss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss CosineEmbeddingLoss
    MarginRankingLoss""".split()
)

LOSS_FUNCTIONS = frozenset(
    """cross_entropy nll_loss mse_loss l1_loss binary_cross_entropy binary_cross_entropy_with_logits smooth_l1_loss
    huber_loss kl_div poisson_nll_loss gaussian_nll_loss ctc_loss hinge_embedding_loss multi_margin_loss
    multilabel_margin_loss multilabel_soft_margin_loss soft_margin_loss triplet_margin_loss cosine_embedding_loss
    margin_ranking_loss triplet_margin_with_distance_loss""".split()
)
"""In torch.nn.functional; all of them need their tensors on one device."""

STATELESS = (
    frozenset(
        """ReLU ReLU6 LeakyReLU ELU SELU CELU GELU SiLU Mish Sigmoid Tanh Softmax LogSoftmax Softmax2d Softmin Softplus
    Softsign Softshrink Hardshrink Hardtanh Hardsigmoid Hardswish LogSigmoid Tanhshrink Threshold GLU RReLU
    Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout Flatten Unflatten Identity
    MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d
    AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d LPPool1d LPPool2d MaxUnpool1d
    MaxUnpool2d MaxUnpool3d FractionalMaxPool2d ZeroPad1d ZeroPad2d ZeroPad3d ConstantPad1d ConstantPad2d
    ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d
    ReplicationPad3d CircularPad1d CircularPad2d CircularPad3d Upsample UpsamplingNearest2d UpsamplingBilinear2d
    PixelShuffle PixelUnshuffle
    ChannelShuffle Fold Unfold CosineSimilarity PairwiseDistance LocalResponseNorm""".split()
    )
    | LOSSES
)
"""Classes of `torch.nn` without parameters or buffers: they run wherever their input is."""

CONTAINERS = frozenset("Sequential ModuleList ModuleDict".split())
PARAMETER_CONTAINERS = frozenset("ParameterList ParameterDict".split())

MIXING = frozenset(
    """add add_ addbmm addcdiv addcdiv_ addcmul addcmul_ addmm addmv addmv_ addr allclose arctan2 arctan2_ atan2
    atan2_ baddbmm bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_or bitwise_or_
    bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ block_diag bmm bucketize cartesian_prod
    cat cdist chain_matmul cholesky_solve clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_
    complex concat concatenate copysign copysign_ cross cumulative_trapezoid dist div div_ divide divide_ dot
    dstack einsum eq eq_ equal float_power floor_divide floor_divide_ fmax fmin fmod fmod_ gammainc gammaincc
    gather gcd gcd_ ge ge_ ger greater greater_ greater_equal greater_equal_ gt gt_ heaviside heaviside_ hstack
    hypot hypot_ igamma igamma_ igammac igammac_ index_add_ index_copy_ index_select inner isclose isin kron lcm
    lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ logaddexp logaddexp2 logical_and
    logical_and_ logical_or logical_or_ logical_xor logical_xor_ lt lt_ masked_fill masked_fill_ masked_scatter
    masked_scatter_ masked_select matmul max maximum min minimum mm mul mul_ multiply multiply_ mv ne ne_
    nextafter nextafter_ normal not_equal not_equal_ outer polar pow pow_ put put_ remainder remainder_ rsub
    scatter scatter_ scatter_add scatter_add_ searchsorted stack sub sub_ subtract subtract_ take take_along_dim
    tensordot trapezoid trapz triangular_solve true_divide true_divide_ vstack where
    xlog1py xlogy xlogy_ zeta""".split()
)
"""Functions of `torch` (and methods of Tensor) whose tensor operands must share a device."""

STRICT = frozenset(
    """matmul mm bmm mv addmm baddbmm addbmm addmv einsum dot inner outer ger cat concat concatenate stack hstack
    vstack dstack cdist cross tensordot chain_matmul gather scatter scatter_ scatter_add scatter_add_ index_select
    index_add_ index_copy_ take_along_dim embedding linear conv1d conv2d conv3d bilinear""".split()
)
"""Of these, the ones that take no 0-dim host tensor beside a tensor on a device: only element by element does torch."""

ANYWHERE = frozenset(
    """copy_ set_ map_ expand_as view_as reshape_as resize_as_ is_same_size register_hook backward type_as
    broadcast_tensors save result_type can_cast""".split()
)
"""What takes tensors of any devices: it copies, asks for a shape or a type, or stores."""

NON_MIXING_FUNCTIONAL = frozenset(["embedding_bag"])

MODULE_SELF = frozenset(
    """train eval float double half bfloat16 requires_grad_ share_memory apply zero_grad_ type to_empty""".split()
)
"""Methods of a module that return the module, where it was."""

MODULE_QUERIES = frozenset(
    """parameters named_parameters modules named_modules children named_children buffers named_buffers
    state_dict load_state_dict zero_grad register_buffer register_parameter register_forward_hook
    register_forward_pre_hook register_full_backward_hook register_backward_hook add_module get_submodule
    get_parameter extra_repr save_pretrained register_module append extend insert""".split()
)
"""Methods that only modules have: a receiver they are called on is a module."""

KEEPS_SHAPE = frozenset(
    "abs add bool ceil clamp clip clone contiguous cos cpu cumprod cumsum detach div double exp flip float".split()
    + "floor half int log long mul neg pow relu requires_grad_ round rsqrt sigmoid sin sqrt square sub tanh to".split()
)
"""The result has as many dimensions as the operand (of two, as the one with more)."""
MODULE_FACTORIES = (
    "torchvision.models.",
    "timm.create_model",
    "timm.models.",
    "torch.hub.load",
    "segmentation_models_pytorch.",
    "efficientnet_pytorch.",
    "torch_geometric.nn.",
    "transformers.Auto",
    "open_clip.create_model",
    "clip.load",
)
"""Dotted prefixes of calls that give a module on the host."""

OPTIMIZERS = frozenset(
    """SGD Adam AdamW Adadelta Adagrad Adamax ASGD LBFGS NAdam RAdam RMSprop Rprop SparseAdam Adafactor Muon""".split()
)

STATE_AT_ONCE = frozenset(["Adagrad"])
"""Optimizers that make the state of each parameter in their constructor; the others make it at the first step."""

HOST_CONSUMERS = ("numpy.", "matplotlib.", "sklearn.", "pandas.", "scipy.", "PIL.", "cv2.", "seaborn.", "skimage.")
"""Libraries whose functions cannot read a tensor on a device."""

TENSOR_TOLERANT = frozenset("numpy.random.seed numpy.prod numpy.ceil numpy.floor pandas.Timestamp".split())
